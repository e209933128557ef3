"""Other places than those the rules were made with: what is found here was not tuned for."""

from __future__ import annotations

from typing import Final

SECRETS: Final = r"""
set -x GITHUB_TOKEN «github»
gh auth login --with-token <<< «github_fine»
remote: https://x-access-token:«github_app»@github.com/acme/blog
CI_JOB_TOKEN=«gitlab»
gitlab-runner register --token «gitlab_runner» --non-interactive
slack_token: "«slack_bot»" # bot
SLACK_WEBHOOK_URL=https://hooks.slack.com/services/«slack_hook»
const hook = new WebhookClient({ url: 'https://discordapp.com/api/webhooks/«discord_hook»' });
STRIPE_SECRET_KEY: ${STRIPE:-«stripe»}
stripe listen --api-key «stripe»
endpoint_secret = '«stripe_hook»'
TWILIO_API_KEY_SID=«twilio»
'api_key' => '«sendgrid»',
mg.client({username: 'api', key: '«mailgun»'})
echo "//registry.npmjs.org/:_authToken=«npm»" > ~/.npmrc
[pypi]⏎username = __token__⏎password = «pypi»
huggingface-cli login --token «huggingface»
llm = ChatOpenAI(openai_api_key="«openai»")
x-api-key: «anthropic»
export GROQ_API_KEY='«groq»'
{"key": "«google»", "q": "Berlin"}
"client_secret":"«google_secret»","redirect_uris":["http://localhost"]
AccessKeyId: «aws_id»⏎SecretAccessKey: «aws_secret»
Environment variables: AWS_SECRET_ACCESS_KEY=«aws_secret», AWS_REGION=eu-central-1
<add key="AWSSecretKey" value="«aws_secret»" />
new ClientSecretCredential(tenant, app, "«azure_secret»");
AZURE_STORAGE_CONNECTION_STRING="DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«base64_64»"
HostName=hub.azure-devices.net;DeviceId=d1;SharedAccessKey=«base64_30»
DIGITALOCEAN_ACCESS_TOKEN=«digitalocean» terraform apply
shopify app env: SHOPIFY_ADMIN_TOKEN=«shopify»
bot = telebot.TeleBot("«telegram»")
"Authorization": "Basic «login»", "X-Atlassian-Token": "no-check"
jira-cli --token «atlassian»
curl -H "Authorization: «linear»" https://api.linear.app/graphql
notion = Client(auth="«notion»")
VAULT_TOKEN=«vault» vault kv get secret/app
databricks configure --token «databricks»
doppler run --token=«doppler» -- npm start
Authorization: Bearer «grafana»
[auth]⏎token=«sentry»
"X-API-Key": "«postman»"
heroku: «heroku»
FIGMA_TOKEN=«figma»
credentials "app.terraform.io" {⏎  token = "«terraform»"⏎}
newrelic: license «newrelic»
echo «docker» | docker login -u acme --password-stdin
tailscale up --authkey=«tailscale»
spring.datasource.url=jdbc:postgresql://app:«password»@db:5432/shop
conn = psycopg.connect("host=db user=app password=«password» dbname=shop")
postgresql+asyncpg://app:«password»@db/shop
engine = create_engine("mysql+pymysql://app:«password»@db/shop")
mongodb://root:«password»@mongo:27017/admin
CELERY_BROKER_URL=redis://default:«password»@redis:6379/1
rtsp://admin:«password»@10.0.0.7/stream1
smb://bob:«password»@nas/share
sqlcmd -S db -U sa -P «password»
Data Source=db;Initial Catalog=shop;User=sa;Pwd=«password»;
psql "postgresql://app@db/shop?password=«password»"
export MYSQL_PWD=«password»
MARIADB_ROOT_PASSWORD: «password»
redis-cli -a «password» ping
mongosh --username root --password «password»
ldapsearch -D cn=admin -w «password» -b dc=acme
curl --user 'bob:«password»' https://nexus.acme.dev
wget --http-user=bob --http-password=«password» https://acme.dev
git credential: protocol=https⏎host=acme.dev⏎username=bob⏎password=«password»
ansible_ssh_pass=«password»
ansible_become_password: "«password»"
wpa_passphrase = «password»
smtp: {host: mail, user: bob, pass: "«password»"}
EMAIL_HOST_PASSWORD = "«password»"
MAIL_PASSWORD=«password»
mailer.setPassword("«password»");
driver.login("bob", password="«password»")
User.create!(email: "a@b.de", password: "«password»")
await page.fill('#password', '«password»');
"admin_password": "«password»"
adminPassword: «password»
ROOT_PASSWD='«password»'
keystore.password=«password»
--set-string postgresql.auth.postgresPassword=«password»
kubectl create secret generic x --from-literal=api-token=«alnum40»
data = {"grant_type": "password", "username": "bob", "password": "«password»"}
grant_type=password&username=bob&password=«password»&scope=all
<Password>«password»</Password>
password is: «password»
The database password is "«password»".
Current password: «password»
New root password = «password» (noted)
I set the password to «password»
you can use password «password»
ssh bob@10.0.0.9 with password «password»
Zugangsdaten: Benutzer bob, Passwort «password»
contraseña: «password»
mot de passe : «password»
the token is «alnum40»
my API key: «alnum32»
secret: «base64_30»
SESSION_SECRET=«hex64»
JWT_SIGNING_KEY="«base64_64»"
APP_SECRET=«hex32»
auth.jwt.secret=«alnum40»
"private_token": "«alnum20»"
webhookSecret: "«word43»",
let apiToken = "«alnum32»"
ACCESS_TOKEN = '«word43»'
consumer_secret="«alnum40»"
"x-auth-token": "«hex32»"
https://api.acme.dev/data?access_token=«alnum40»#top
wss://stream.acme.dev/?apikey=«alnum32»
set-cookie: connect.sid=s%3A«alnum40»; Path=/; HttpOnly
Cookie: _session_id=«hex32»; locale=de
Authorization: JWT «jwt»
id_token=«jwt»
kubectl config set-credentials bob --token=«jwt»
cat key.pem⏎«pem»
"key": "«pem_json»"
PuTTY-User-Key-File-3: ssh-ed25519⏎Private-Lines: 4⏎«putty»⏎Private-MAC: 11
export SOPS_AGE_KEY=«age»
""".strip().splitlines()

ORDINARY: Final = r"""
fatal: bad object «hex40»
git checkout «hex40» -- src/app.py
From «hex40» Mon Sep 17 00:00:00 2001
Downloaded sha256:«hex64»
sha512: «sha512»
cargo: checksum "«hex64»"
"shasum": "«hex40»", "integrity": "«sha512»"
pnpm: /left-pad@1.3.0: resolution: {integrity: «sha512»}
digest: "sha256:«hex64»"
go.sum: golang.org/x/net v0.1.0 h1:«base64_30»
<script integrity="«sha512»" crossorigin="anonymous"></script>
asset app.«hex32».js 120 KiB [emitted]
/static/js/main.«lower30».chunk.js
x-request-id: «uuid»
"uuid":"«uuid»","type":"assistant"
correlationId=«uuid»
Job «uuid» is queued
"call_id": "call_«alnum20»"
"thread_id": "thread_«alnum20»"
rev: «hex40»
container «hex64» exited (0)
docker rm «hex32»
fingerprint SHA256:«word43»
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ«base64_64» ci@host
cache-key: «hex64»
hashKey: "«hex32»"
S3_OBJECT_KEY=uploads/«uuid».png
row_key = "«uuid»"
partitionKey: "«hex32»"
foreign_key: orders_customer_id_2
"nextToken": "«alnum40»"
page_token=«alnum32»&page=2
syncToken: «alnum32»
"clientToken": "«uuid»"
"publicKey": "«base64_64»"
NEXT_PUBLIC_SITE_KEY=«alnum40»
url(data:font/woff2;base64,«image»)
![plot](data:image/png;base64,«image»)
"content": "«image»"
snapshot «hex64» restored
blob «hex40» 1234
etag W/"«hex40»"
/var/lib/docker/overlay2/«hex64»/merged
~/.cache/uv/archive-v0/«alnum20»/lib
/tmp/tmp«lower30»/out.log
node_modules/.pnpm/a@1_«lower30»/node_modules
s3://logs/2026/11/27/«uuid».gz
https://cdn.acme.dev/«hex40»/bundle.js
https://acme.dev/reset?id=«uuid»
seed=«pin»
order «pin» was shipped
timestamp: «pin»
token := lexer.Next()
tokens = tokenizer.encode(text)[:4096]
token_type = "Bearer"
tokenizer.save_pretrained("out-v2")
type Token struct { Kind Kind2 }
if (token.type === 'IDENT_2') {
secret = await vault.read("kv/app2")
secret = generate_secret(32)
client_secret = config["client_secret_v2"]
secrets: [db_password_1, api_token_2]
SECRET_KEY = env("DJANGO_SECRET_KEY2")
SECRET_KEY=$(openssl rand -hex 32)
api_key = input("API key: ")
apiKey={process.env.NEXT_PUBLIC_KEY1}
API_KEY: ${{ secrets.API_KEY_2 }}
api-key: <insert key here>
'api_key': 'YOUR_API_KEY_123'
key=lambda item: item.v2
keys = sorted(data2.keys())
KEY = "user_preferences_v2_cache"
key: cmd+shift+F12
primaryKey: true
bool has_key(string key1)
def check_password(self, password1, password2):
password2 = cleaned_data.get("password2")
passwords = load_lines("rockyou2.txt")
Password2: confirm your password
password?: string | null
password: Optional[str] = None
password: &'a str,
String password = req.getParameter("pw1");
password: faker.internet.password(12),
password: generateHash('sha512'),
password = os.getenv('DB_PASS2', '')
password=pwd2, timeout=30
"password": null, "attempts": 3
"password": "[REDACTED]"
"password": "<your password>"
PASSWORD=<hidden>
password: "{{ lookup('env', 'PW2') }}"
password: ENC[AES256_GCM,data:abc,iv:def]
psql: error: password authentication failed for user "app2"
The password is hashed with bcrypt2y and stored
Your password is too short: 8 of 12 characters
Reset the password in step 3 of the wizard
Is the password correct? Try 3 more times.
the passwords are in 1password
enter password, then press F10
Forgot password? See page 12
passwd: all authentication tokens updated
/etc/passwd contains root:x:0:0:root:/root:/bin/bash
cat /etc/passwd | head -5
passwd -l user2
passphrase: for key '/home/bob/.ssh/id_ed25519'
pw_hash = hashlib.pbkdf2_hmac("sha256", pw, salt, 100000)
--password-file /run/secrets/pw1
--token-ttl 3600s
--secret id=npmrc,src=.npmrc2
curl -u "${NEXUS_USER}:${NEXUS_PASS}" https://x
curl -u $USER:$TOKEN2 https://x
mysql -uroot -p$MYSQL_PASSWORD shop
mysqldump --password shop2 > dump.sql
redis://localhost:6379/0
postgres://localhost:5432/shop2
mongodb://mongo1:27017,mongo2:27017/shop
amqp://${RABBIT_USER}:${RABBIT_PASS}@rabbit
ssh://git@github.com:22/acme/shop2.git
https://registry.acme.dev:5000/v2/app@sha256
npm://@acme/ui@2.0.1
Authorization: Bearer $(gcloud auth print-access-token)
Authorization: `Bearer ${accessToken2}`
authorization: AWS4-HMAC-SHA256 required
basic usage2: see below
Basic realm="Restricted Area 51"
bearer of bad news: build42 failed
set-cookie handling in v2.3
cookies().set('theme', 'dark2')
cookie-parser@1.4.6
Cookie: a=1; b=2
webhooks: https://hooks.example.com/services
auth: { type: oauth2, flow: pkce2 }
auth=HTTPDigestAuth(user1, pw1)
AUTH_USER_MODEL = "accounts.User2"
-----BEGIN CERTIFICATE-----⏎«base64_64»⏎-----END CERTIFICATE-----
-----BEGIN PGP SIGNATURE-----⏎«base64_64»⏎-----END PGP SIGNATURE-----
sk-toggleable__content fitted sk-estimator-id-2
SK_ID_CURR, SK_ID_PREV2
SG.js and SG.utils2
pat.match(r"\d+")
key-value-store-2 and key-bindings-3
hf_hub_download("bert-base-v2")
npm_package_version=1.2.3
shpat is a prefix of Shopify2
glpat-… is a prefix too
the eyJ prefix means JSON2
dp.pt.2 is a section
xox- is no token2
r8_unorm, r8_snorm, r8_uint formats
API-FIRST-DESIGN-GUIDELINES
fc-cache -fv; fc-list | grep 2
signature: (x: number) => string2
?sig=abc&v=2
export PS1='\u@\h:\w\$ '
PASS 12 tests, FAIL 0
pass: 12, fail: 0, skip: 3
test result: ok. 12 passed2
passing: 42 (3s)
compass: N42E7
""".strip().splitlines()
