"""The places with which the rules were made."""

from __future__ import annotations

from typing import Final

SECRETS: Final = r"""
export GITHUB_TOKEN=«github»
git clone https://«github»@github.com/acme/shop.git
git remote set-url origin https://oauth2:«gitlab»@gitlab.com/acme/shop.git
{"command":"curl -H \"Authorization: Bearer «alnum40»\" https://api.acme.dev/v1/me"}
Authorization: token «hex40»
-H 'PRIVATE-TOKEN: «gitlab»'
SLACK_BOT_TOKEN="«slack_bot»"
curl -X POST https://hooks.slack.com/services/«slack_hook» -d '{"text":"hi"}'
"webhook": "https://discord.com/api/webhooks/«discord_hook»",
stripe.api_key = "«stripe»"
STRIPE_WEBHOOK_SECRET=«stripe_hook»
client = Client("AC" + "0" * 32, api_key="«twilio»")
sg = SendGridAPIClient('«sendgrid»')
auth=("api", "«mailgun»")
//registry.npmjs.org/:_authToken=«npm»
twine upload -u __token__ -p «pypi» dist/*
HfApi(token="«huggingface»")
OPENAI_API_KEY=«openai»
ANTHROPIC_API_KEY: «anthropic»
{"env": {"GROQ_API_KEY": "«groq»"}}
https://maps.googleapis.com/maps/api/js?key=«google»&libraries=places
client_secret: «google_secret»
aws_access_key_id = «aws_id»
aws_secret_access_key = «aws_secret»
AWS_SECRET_ACCESS_KEY="«aws_secret»" aws s3 ls
AZURE_CLIENT_SECRET='«azure_secret»'
DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=«base64_64»;EndpointSuffix=core.windows.net
Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«base64_30»
https://shop.blob.core.windows.net/c/f?sv=2022-11-02&sp=r&sig=«base64url_32»%3D&se=2026
doctl auth init -t «digitalocean»
X-Shopify-Access-Token: «shopify»
https://api.telegram.org/bot«telegram»/getMe
JIRA_API_TOKEN=«atlassian»
linear = LinearClient(apiKey="«linear»")
NOTION_TOKEN=«notion»
vault login «vault»
DATABRICKS_TOKEN=«databricks»
DOPPLER_TOKEN=«doppler»
grafana: {token: «grafana»}
SENTRY_AUTH_TOKEN=«sentry»
postgres://app:«password»@db.internal:5432/shop
DATABASE_URL="mysql://root:«password»@127.0.0.1/shop"
redis://:«password»@cache:6379/0
amqp://guest:«alnum20»@mq
mongodb+srv://admin:«password»@cluster0.abcde.mongodb.net/?retryWrites=true
Server=tcp:db,1433;User ID=sa;Password=«password»;Encrypt=True
jdbc:postgresql://db/shop?user=app&password=«password»&ssl=true
PGPASSWORD=«password» psql -h db -U app shop
mysql -u root -p«password» shop
sshpass -p '«password»' ssh root@10.0.0.5
curl -u admin:«password» https://nexus.acme.dev/repository/
wget --user=bob --password=«password» https://files.acme.dev/a.zip
"password": "«password»",
{"username":"bob","password":"«password»"}
{\"username\":\"bob\",\"password\":\"«password»\"}
password: «password»
  DB_PASSWORD: «password»
spring.datasource.password=«password»
const dbPassword = '«password»';
PASSWORD = "«password»"
password: str = "«password»"
<property name="x"/><password>«password»</password>
- name: DB_PASSWORD⏎  value: «password»
{"name": "POSTGRES_PASSWORD", "value": "«password»"}
CREATE ROLE app LOGIN PASSWORD '«password»';
The admin password is «password», please change it later.
my password was «password»
Passwort: «password»
user: admin pw: «password»
Log in with bob / password: «password»
passphrase = "«password»"
app.config["SECRET_KEY"] = "«hex64»"
SECRET_KEY = os.environ.get("SECRET_KEY", "«alnum40»")
JWT_SECRET=«base64_30»
"clientSecret": "«alnum40»",
apiKey: '«alnum32»',
api_key = "«hex32»"
x-api-key: «alnum40»
fetch(url, {headers: {"X-Api-Key": "«word43»"}})
https://api.acme.dev/v1/items?api_key=«alnum32»&page=2
https://acme.dev/hook?token=«lower30»
access_token=«alnum40»
"refresh_token":"«word43»"
auth_token: «hex64»
Cookie: theme=dark; session=«alnum40»; lang=de
Set-Cookie: sid=«base64url_32»; Path=/; HttpOnly
Authorization: Basic «login»
{"auths":{"ghcr.io":{"auth":"«login»"}}}
Authorization: Bearer «jwt»
token = "«jwt»"
«pem»
"private_key": "«pem_json»\n",
Encryption: none⏎Private-Lines: 4⏎«putty»⏎Private-MAC: 00
# public key: age1qqq⏎«age»
HEROKU_API_KEY=«heroku»
figma: «figma»
token = "«terraform»"
NEW_RELIC_API_KEY=«newrelic»
DATABASE_PASSWORD=«planetscale»
docker login -u acme -p «docker»
os.Setenv("API_TOKEN", "«alnum40»")
std::env::set_var("GITHUB_TOKEN", "«github»");
private static final String PASSWORD = "«password»";
var connectionString = "Host=db;Username=app;Password=«password»;Database=shop";
$password = "«password»";
define('DB_PASSWORD', '«password»');
define( 'AUTH_KEY', '«base64_64»' );
ENV['SMTP_PASSWORD'] = '«password»'
secret_key_base: «hex64»«hex64»
SECRET_KEY = 'django-insecure-«base64_64»'
APP_KEY=base64:«base64_30»=
NEXTAUTH_SECRET=«base64_30»
ENCRYPTION_KEY=«hex64»
docker run -e MYSQL_ROOT_PASSWORD=«password» mysql:8
ENV NPM_TOKEN=«alnum40»
docker build --build-arg NPM_TOKEN=«npm» .
kubectl create secret generic db --from-literal=password=«password»
helm install pg bitnami/postgresql --set auth.password=«password»
aws configure set aws_secret_access_key «aws_secret»
az login --service-principal -u app -p «azure_secret» --tenant t
[remote]⏎type = sftp⏎pass = «alnum32»
requirepass «password»
rabbitmqctl add_user bob «password»
htpasswd -b .htpasswd bob «password»
openssl pkcs12 -in a.p12 -passin pass:«password»
storePassword=«password»
sasl.jaas.config=org.apache.kafka.PlainLoginModule required username="bob" password="«password»";
bindpw «password»
ftp://bob:«password»@files.acme.dev/a.zip
<server><id>nexus</id><username>bob</username><password>«password»</password></server>
signing.keyId=1A2B3C4D⏎signing.password=«password»
index-url = https://bob:«password»@pypi.acme.dev/simple
{"http-basic":{"repo.acme.dev":{"username":"bob","password":"«password»"}}}
https://bob:«github»@github.com
variable "db_password" {⏎  default = "«password»"⏎}
MYSQL_PASSWORD: "«password»"
psk="«password»"
+  "apiToken": "«alnum40»",
-    password: «password»,
> export DB_PASS='«password»'
"tool_result": "DB_PASSWORD=«password»\nDB_HOST=db\n"
{"content":"line1\n    \"token\": \"«alnum40»\",\nline3"}
Mit dem Passwort «password» kommst du rein
Das Kennwort lautet «password».
La contraseña es «password»
le mot de passe est «password»
the API key is «alnum40»
use this token: «hex40»
here's the token «alnum40»
login with admin/«password»
username admin, password «password»
use the password «password» for staging
root password = «password»
pw=«password»
Wifi password: «password»
my pin / password: «pin»
credentials: bob / «password»
http --auth bob:«password» https://api.acme.dev
requests.get(url, auth=("bob", "«password»"))
axios.defaults.headers.common["Authorization"] = "Bearer «alnum40»";
req.Header.Set("Authorization", "Bearer «alnum40»")
req.Header.Add("X-Auth-Token", "«hex32»")
authorization: Bearer «hex64»
> Authorization: Basic «login»
proxy-authorization: Basic «login»
X-Vault-Token: «alnum32»
X-Amz-Security-Token=«base64_64»
https://s3.amazonaws.com/b/k?X-Amz-Credential=x&X-Amz-Signature=«hex64»
""".strip().splitlines()

ORDINARY: Final = r"""
commit «hex40»
Merge: «hex40»
index «hex40»..0000000 100644
"integrity": "«sha512»",
"resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz#«hex40»",
    --hash=sha256:«hex64» \
{ file = "a-1.0-py3-none-any.whl", hash = "sha256:«hex64»" },
h1:«base64_30»=
checksum = "«hex64»"
ETag: "«hex32»"
image: nginx@sha256:«hex64»
session «uuid»
"sessionId":"«uuid»","parentUuid":"«uuid»"
"tool_use_id": "toolu_01«alnum20»"
"id": "msg_01«alnum20»"
"request_id": "req_«alnum20»"
CACHE_KEY=«hex40»
"cache_key": "«hex64»"
primary_key = "«uuid»"
idempotency_key: «uuid»
nextPageToken: "«alnum32»"
"continuation_token": "«base64_30»"
"public_key": "«base64_64»"
data:image/png;base64,«image»
<img src="data:image/png;base64,«image»">
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5«base64_30» bob@host
build id «hex32» finished
trace_id=«hex32» span_id=00f067aa0ba902b7
/nix/store/«lower30»-hello-2.12/bin/hello
/home/bob/.cache/pip/http/«hex32»
s3://bucket/artifacts/«hex40»/app.tar.gz
https://github.com/acme/shop/commit/«hex40»
https://example.com/files/«uuid»/preview
key="«uuid»" value="1"
docker run -u 1000:1000 --rm image
user_id = "«lower30»"
token = getToken()
token = await client.fetch_token(code)
token: str
token?: string;
const token = req.headers.authorization?.split(" ")[1];
api_key=os.environ["OPENAI_API_KEY"]
api_key: str | None = None
apiKey: process.env.API_KEY_V2,
"api_key": "${API_KEY}"
api_key = settings.api_key_v2
secret = Secret.from_name("db-password-2")
secretKeyRef: {name: db, key: password}
secretName: shop-tls-2024
client_secret=<your-client-secret>
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=your-api-key-here
GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
password: str
password: string;
password: String!
password = getpass.getpass("Password: ")
password=os.environ["DB_PASSWORD_2"]
self.password = password2
user.password = hash_password(form.password1, salt1)
password = request.form['password1']
if password != password2:
"password": "password"
"password": {"type": "string", "minLength": 8}
password: z.string().min(8).max(64),
password = forms.CharField(widget=forms.PasswordInput)
password: required|min:8|confirmed
password VARCHAR(255) NOT NULL
password: ${{ secrets.DB_PASSWORD_2 }}
password: "{{ vault_db_password2 }}"
password: !vault |
--password <PASSWORD>
--password=$DB_PASS1
password: ********
PASSWORD=changeme
the password is stored as an argon2id hash
The password is 12 characters long and is sent in plain text.
Password must contain at least 8 characters, 1 digit
A wrong password is answered with 401.
What is the password: is it base64-encoded?
password: sha256
passwordHash: "$2b$12$KIXabcdefghijklmnopqrs"
<input type="password" id="password2" name="password2" />
<label for="password1">Password 1</label>
label="Password 2"
password: user@example.com
"password": "/run/secrets/db_password1"
DB_PASSWORD_FILE=/run/secrets/db1
PWD=/home/bob/project2
OLDPWD=/tmp/x1
pwd: /srv/app1
pass: true
--- PASS: TestUpload2 (0.01s)
PASS: test_upload_2
bypass: rule12
Key: Value2 pairs
key = f"user:{user_id}:v2"
key: 'ArrowUp2'
KEY_F12 = "F12"
<li key="item-12">
"sort_key": "2024-01-02T03:04:05Z#abc123"
monkey=banana42
token_count: 4096, max_tokens=8192
tokens: 1,234 in / 567 out
csrf_token: «alnum32»
secret santa 2024 is on 12/24
Bearer authentication (RFC 6750) is required
Authorization: Bearer <token>
Authorization: Bearer ${TOKEN}
Basic authentication over TLS1.2
"Authorization": f"Bearer {token}"
postgres://user:password@localhost/db
postgres://${DB_USER}:${DB_PASS}@${DB_HOST}/db
https://user@host/path
git@github.com:acme/shop2.git
http://localhost:3000/@fs/home/bob2@x
mailto:bob@example.com
curl -u "$USER:$PASS" https://x
curl -u user:pass https://x
mysql -u root -p shop
machine learning login flow password reset
cookie: none
Cookie policy = accepted2024
document.cookie = "theme=dark2; path=/"
npm_config_cache=/root/.npm2
sk-learn-contrib-2024-extension-pack
pip install sk-video-0.9
import hf_transformers_utils
KEY-2024-RELEASE-NOTES
MSK time, DISK0123456789abcdef
const SESSION_KEY = "memtuiSessionV2StateContainer"
function isTokenValid2(token) {
test("token: expired2", () => {
describe("password reset v2", () => {
PASSWORD_REGEX = r"^(?=.*[A-Z])(?=.*\d).{8,}$"
passwordPolicy: {minLength: 12, digits: 2}
password-manager: 1password
secrets: inherit
credential.helper=store
credentials: include
credentials: 'same-origin2'
auth: true
auth: {user, pass}
"auth": "oauth2"
signature=sha256
&sig=none
""".strip().splitlines()
