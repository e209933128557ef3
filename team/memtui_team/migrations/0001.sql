-- Members, their devices, and the groups with which projects are shared.
CREATE SCHEMA memtui;

CREATE TABLE memtui.meta (key text PRIMARY KEY, value text NOT NULL);

CREATE TABLE memtui.members (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> '')
);

-- A device is one memtui of a member, with a login role of its own.
CREATE TABLE memtui.devices (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    member int NOT NULL REFERENCES memtui.members,
    name text NOT NULL CHECK (name <> ''),
    role name NOT NULL UNIQUE,
    is_lead boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    UNIQUE (member, name)
);

CREATE TABLE memtui.groups (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> '')
);

CREATE TABLE memtui.group_members (
    "group" int NOT NULL REFERENCES memtui.groups ON DELETE CASCADE,
    member int NOT NULL REFERENCES memtui.members ON DELETE CASCADE,
    PRIMARY KEY ("group", member)
);

-- A project is a repository: its key is the normalized address of its remote, or its name.
CREATE TABLE memtui.projects (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE CHECK (key <> ''),
    name text NOT NULL
);

CREATE TABLE memtui.project_groups (
    project int NOT NULL REFERENCES memtui.projects ON DELETE CASCADE,
    "group" int NOT NULL REFERENCES memtui.groups ON DELETE CASCADE,
    PRIMARY KEY (project, "group")
);

-- A session as one device pushed it. `version` is what the device compares to know whether it must push again;
-- `content` has the rows of the session's tables, compressed.
CREATE TABLE memtui.sessions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device int NOT NULL REFERENCES memtui.devices,
    project int NOT NULL REFERENCES memtui.projects,
    agent text NOT NULL,
    session_id text NOT NULL,
    parent_id text NOT NULL DEFAULT '',
    title text NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    turns int NOT NULL,
    version text NOT NULL,
    content bytea NOT NULL,
    pushed_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (device, agent, session_id, parent_id),
    UNIQUE (id, device, project)
);
CREATE INDEX ON memtui.sessions (session_id);
CREATE INDEX ON memtui.sessions (project);

-- Forgotten sessions: no device of the member can push them again.
CREATE TABLE memtui.tombstones (
    member int NOT NULL REFERENCES memtui.members,
    agent text NOT NULL,
    session_id text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (member, agent, session_id)
);

-- Turns and what is searched of them, by the month in which their session started. The foreign keys keep anybody from
-- adding turns to a session of another device.
CREATE TABLE memtui.turns (
    id bigint GENERATED ALWAYS AS IDENTITY,
    month date NOT NULL,
    session bigint NOT NULL,
    device int NOT NULL,
    project int NOT NULL,
    number int NOT NULL,
    agent text NOT NULL,
    kind text NOT NULL,
    started_at timestamptz,
    tool_calls int NOT NULL,
    errors int NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    digest bytea NOT NULL,
    terms text NOT NULL,
    words tsvector NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (id, month),
    UNIQUE (session, number, month),
    FOREIGN KEY (session, device, project) REFERENCES memtui.sessions (id, device, project)
        ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY RANGE (month);
CREATE INDEX ON memtui.turns USING gin (words);
CREATE INDEX ON memtui.turns (project, started_at DESC);

CREATE TABLE memtui.mentions (
    month date NOT NULL,
    turn bigint NOT NULL,
    session bigint NOT NULL,
    device int NOT NULL,
    project int NOT NULL,
    path text COLLATE "C" NOT NULL,
    reversed text COLLATE "C" GENERATED ALWAYS AS (reverse(lower(path))) STORED,
    kind text NOT NULL,
    is_dir boolean NOT NULL,
    FOREIGN KEY (session, device, project) REFERENCES memtui.sessions (id, device, project)
        ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY RANGE (month);
CREATE INDEX ON memtui.mentions (reversed text_pattern_ops);
CREATE INDEX ON memtui.mentions (session);

CREATE TABLE memtui.vectors (
    month date NOT NULL,
    turn bigint NOT NULL,
    chunk int NOT NULL,
    session bigint NOT NULL,
    device int NOT NULL,
    project int NOT NULL,
    vector halfvec(384) NOT NULL,
    FOREIGN KEY (session, device, project) REFERENCES memtui.sessions (id, device, project)
        ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY RANGE (month);
CREATE INDEX ON memtui.vectors USING hnsw (vector halfvec_cosine_ops);
CREATE INDEX ON memtui.vectors (session);

-- Who is asking. Each is computed once for a query, not once for a row.
CREATE FUNCTION memtui.this_device() RETURNS int
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$ SELECT id FROM memtui.devices WHERE role = session_user AND revoked_at IS NULL $$;

CREATE FUNCTION memtui.this_member() RETURNS int
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$ SELECT member FROM memtui.devices WHERE role = session_user AND revoked_at IS NULL $$;

CREATE FUNCTION memtui.own_devices() RETURNS int[]
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        SELECT coalesce(array_agg(d.id), '{}') FROM memtui.devices d
        WHERE d.member = (SELECT member FROM memtui.devices WHERE role = session_user AND revoked_at IS NULL)
    $$;

-- Leads have no texts: for a device of theirs the set is empty.
CREATE FUNCTION memtui.allowed_projects() RETURNS int[]
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        SELECT coalesce(array_agg(DISTINCT pg.project), '{}')
        FROM memtui.devices d
        JOIN memtui.group_members gm ON gm.member = d.member
        JOIN memtui.project_groups pg ON pg."group" = gm."group"
        WHERE d.role = session_user AND d.revoked_at IS NULL AND NOT d.is_lead
    $$;

-- The project with a key. A new one is shared with the groups; an existing one must be shared with the member.
CREATE FUNCTION memtui.open_project(project_key text, project_name text, group_names text[]) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    DECLARE
        found int;
        asking int := memtui.this_member();
    BEGIN
        IF asking IS NULL THEN
            RAISE EXCEPTION 'this login is not a device of the team' USING ERRCODE = '42501';
        END IF;
        SELECT id INTO found FROM memtui.projects WHERE key = project_key;
        IF found IS NULL THEN
            IF EXISTS (
                SELECT FROM unnest(group_names) AS wanted(name) WHERE NOT EXISTS (
                    SELECT FROM memtui.groups g JOIN memtui.group_members m ON m."group" = g.id
                    WHERE g.name = wanted.name AND m.member = asking
                )
            ) OR cardinality(group_names) = 0 THEN
                RAISE EXCEPTION 'a project is shared only with groups of its member' USING ERRCODE = '42501';
            END IF;
            INSERT INTO memtui.projects (key, name) VALUES (project_key, project_name)
                ON CONFLICT (key) DO NOTHING RETURNING id INTO found;
            IF found IS NOT NULL THEN
                INSERT INTO memtui.project_groups (project, "group")
                    SELECT found, g.id FROM memtui.groups g WHERE g.name = ANY (group_names);
                RETURN found;
            END IF;
            SELECT id INTO found FROM memtui.projects WHERE key = project_key;
        END IF;
        IF NOT EXISTS (
            SELECT FROM memtui.project_groups p JOIN memtui.group_members m ON m."group" = p."group"
            WHERE p.project = found AND m.member = asking
        ) THEN
            RAISE EXCEPTION 'the project % is shared with other groups', project_name USING ERRCODE = '42501';
        END IF;
        RETURN found;
    END $$;

-- The partitions of a month, with their indexes.
CREATE FUNCTION memtui.open_month(first date) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, memtui, pg_temp
    AS $$
    DECLARE
        parent text;
        begin_at date := date_trunc('month', first)::date;
        child text;
    BEGIN
        IF memtui.this_device() IS NULL THEN
            RAISE EXCEPTION 'this login is not a device of the team' USING ERRCODE = '42501';
        END IF;
        IF begin_at < date '2020-01-01' OR begin_at > (now() + interval '2 months')::date THEN
            RAISE EXCEPTION 'no session can have started in %', begin_at USING ERRCODE = '22008';
        END IF;
        FOREACH parent IN ARRAY ARRAY['turns', 'mentions', 'vectors'] LOOP
            child := format('%s_%s', parent, to_char(begin_at, 'YYYY_MM'));
            IF to_regclass(format('memtui.%I', child)) IS NULL THEN
                PERFORM pg_advisory_xact_lock(hashtext('memtui.open_month'));
                IF to_regclass(format('memtui.%I', child)) IS NULL THEN
                    EXECUTE format(
                        'CREATE TABLE memtui.%I PARTITION OF memtui.%I FOR VALUES FROM (%L) TO (%L)',
                        child, parent, begin_at, (begin_at + interval '1 month')::date
                    );
                END IF;
            END IF;
        END LOOP;
    END $$;

-- A forgotten session is removed from all devices of the member, and stays away.
CREATE FUNCTION memtui.forget(forgotten_agent text, forgotten_id text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    DECLARE
        asking int := memtui.this_member();
        ids bigint[];
    BEGIN
        IF asking IS NULL THEN
            RAISE EXCEPTION 'this login is not a device of the team' USING ERRCODE = '42501';
        END IF;
        INSERT INTO memtui.tombstones (member, agent, session_id) VALUES (asking, forgotten_agent, forgotten_id)
            ON CONFLICT DO NOTHING;
        SELECT coalesce(array_agg(s.id), '{}') INTO ids
            FROM memtui.sessions s JOIN memtui.devices d ON d.id = s.device
            WHERE d.member = asking AND s.agent = forgotten_agent
                AND (s.session_id = forgotten_id OR s.parent_id = forgotten_id);
        DELETE FROM memtui.sessions WHERE id = ANY (ids);
        RETURN cardinality(ids);
    END $$;

CREATE FUNCTION memtui.refuse_forgotten() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    BEGIN
        IF EXISTS (
            SELECT FROM memtui.tombstones t JOIN memtui.devices d ON d.member = t.member
            WHERE d.id = NEW.device AND t.agent = NEW.agent AND t.session_id IN (NEW.session_id, NEW.parent_id)
        ) THEN
            RETURN NULL;
        END IF;
        RETURN NEW;
    END $$;
CREATE TRIGGER refuse_forgotten BEFORE INSERT OR UPDATE ON memtui.sessions
    FOR EACH ROW EXECUTE FUNCTION memtui.refuse_forgotten();

-- Figures without texts, for leads.
CREATE VIEW memtui.figures AS
    SELECT (t.started_at AT TIME ZONE 'UTC')::date AS day, p.name AS project, m.name AS member, t.agent,
        count(DISTINCT t.session) AS sessions, count(*) AS turns, sum(t.tool_calls) AS tool_calls,
        sum(t.errors) AS errors, sum(t.input_tokens) AS input_tokens, sum(t.output_tokens) AS output_tokens
    FROM memtui.turns t
    JOIN memtui.projects p ON p.id = t.project
    JOIN memtui.devices d ON d.id = t.device
    JOIN memtui.members m ON m.id = d.member
    GROUP BY 1, 2, 3, 4;

-- What a device may see and change.
ALTER TABLE memtui.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.devices ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.groups ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.group_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.projects ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.project_groups ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.tombstones ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.turns ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.mentions ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.vectors ENABLE ROW LEVEL SECURITY;

CREATE POLICY seen ON memtui.members FOR SELECT USING ((SELECT memtui.this_device()) IS NOT NULL);
CREATE POLICY seen ON memtui.devices FOR SELECT USING ((SELECT memtui.this_device()) IS NOT NULL);
CREATE POLICY seen ON memtui.groups FOR SELECT USING (
    id IN (SELECT gm."group" FROM memtui.group_members gm WHERE gm.member = (SELECT memtui.this_member())));
CREATE POLICY seen ON memtui.group_members FOR SELECT USING (member = (SELECT memtui.this_member()));
CREATE POLICY seen ON memtui.projects FOR SELECT USING (id = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY seen ON memtui.project_groups FOR SELECT
    USING (project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY seen ON memtui.tombstones FOR SELECT USING (member = (SELECT memtui.this_member()));

CREATE POLICY seen ON memtui.sessions FOR SELECT USING (project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY added ON memtui.sessions FOR INSERT WITH CHECK (
    device = (SELECT memtui.this_device()) AND project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY changed ON memtui.sessions FOR UPDATE USING (device = (SELECT memtui.this_device()))
    WITH CHECK (device = (SELECT memtui.this_device()) AND project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY removed ON memtui.sessions FOR DELETE USING (device = (SELECT memtui.this_device()));

CREATE POLICY seen ON memtui.turns FOR SELECT USING (project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY added ON memtui.turns FOR INSERT WITH CHECK (
    device = (SELECT memtui.this_device()) AND project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY removed ON memtui.turns FOR DELETE USING (device = (SELECT memtui.this_device()));

CREATE POLICY seen ON memtui.mentions FOR SELECT USING (project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY added ON memtui.mentions FOR INSERT WITH CHECK (
    device = (SELECT memtui.this_device()) AND project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY removed ON memtui.mentions FOR DELETE USING (device = (SELECT memtui.this_device()));

CREATE POLICY seen ON memtui.vectors FOR SELECT USING (project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY added ON memtui.vectors FOR INSERT WITH CHECK (
    device = (SELECT memtui.this_device()) AND project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY removed ON memtui.vectors FOR DELETE USING (device = (SELECT memtui.this_device()));

-- The group roles; each device's login role is a member of one of them.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA memtui FROM PUBLIC;
GRANT USAGE ON SCHEMA memtui TO memtui_member, memtui_lead;
GRANT SELECT ON memtui.meta, memtui.members, memtui.devices, memtui.groups, memtui.group_members, memtui.projects,
    memtui.project_groups, memtui.tombstones TO memtui_member;
GRANT SELECT, INSERT, UPDATE, DELETE ON memtui.sessions TO memtui_member;
GRANT SELECT, INSERT, DELETE ON memtui.turns, memtui.mentions, memtui.vectors TO memtui_member;
GRANT EXECUTE ON FUNCTION memtui.this_device(), memtui.this_member(), memtui.own_devices(), memtui.allowed_projects(),
    memtui.open_project(text, text, text[]), memtui.open_month(date), memtui.forget(text, text) TO memtui_member;
GRANT SELECT ON memtui.meta, memtui.figures TO memtui_lead;
