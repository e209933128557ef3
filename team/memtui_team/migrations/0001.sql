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

-- A project is a repository, shared with groups: its key is the normalized address of its remote, or its name. A key
-- may occur several times, with different groups. If it could not, whoever came first would decide who reads the
-- sessions of the next one, and a refusal would say that other groups have a project of this key.
CREATE TABLE memtui.projects (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 1000),
    name text NOT NULL CHECK (length(name) <= 1000)
);
CREATE INDEX ON memtui.projects (key);

-- `by_admin`: the administrator added the group later, to what the member chose.
CREATE TABLE memtui.project_groups (
    project int NOT NULL REFERENCES memtui.projects ON DELETE CASCADE,
    "group" int NOT NULL REFERENCES memtui.groups ON DELETE CASCADE,
    by_admin boolean NOT NULL DEFAULT false,
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
    words tsvector NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (id, month),
    -- With the device, as a violation is noticed before the foreign key is checked: it would tell that a session of
    -- another device has this turn.
    UNIQUE (session, device, number, month),
    FOREIGN KEY (session, device, project) REFERENCES memtui.sessions (id, device, project)
        ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY RANGE (month);
CREATE INDEX ON memtui.turns USING gin (words);
CREATE INDEX ON memtui.turns (project, started_at DESC);

-- The words of turns for BM25, of which the index is locked from a write of a transaction to its end, also for searches.
-- So it has a table of its own, which a push writes last.
CREATE TABLE memtui.terms (
    month date NOT NULL,
    turn bigint NOT NULL,
    session bigint NOT NULL,
    device int NOT NULL,
    project int NOT NULL,
    agent text NOT NULL,
    started_at timestamptz,
    terms text NOT NULL,
    FOREIGN KEY (session, device, project) REFERENCES memtui.sessions (id, device, project)
        ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY RANGE (month);
CREATE INDEX ON memtui.terms (session);

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
-- Searched by `reversed >= 'a' AND reversed < 'b'`: LIKE is not leakproof, so that with policies it would use no index.
CREATE INDEX ON memtui.mentions (reversed);
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

CREATE FUNCTION memtui.is_lead() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        SELECT EXISTS (SELECT FROM memtui.devices WHERE role = session_user AND revoked_at IS NULL AND is_lead)
    $$;

-- The groups of the member, and those that read the same projects: who shares sees with whom.
CREATE FUNCTION memtui.known_groups() RETURNS int[]
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        SELECT coalesce(array_agg("group"), '{}') FROM (
            SELECT gm."group" FROM memtui.group_members gm WHERE gm.member = memtui.this_member()
            UNION
            SELECT pg."group" FROM memtui.project_groups pg WHERE pg.project = ANY (memtui.allowed_projects())
        ) known
    $$;

-- Turns with words, of the colleagues' devices that the device may read, with what the ranking of a search needs to
-- know. The operator @@ is not leakproof: with a policy on the table the planner would not use the index, but compare all
-- rows. So this function asks for the device's projects itself.
--
-- `clauses` are the parts of a query. Each finds at most 20,000 turns, of which the newest 1,000 are candidates, and so
-- are the turns in `also`; the `most` turns with the rarest clauses are returned, with the rank of each of `ranks`.
-- Agents, projects and times narrow the search unless they are NULL.
CREATE FUNCTION memtui.find_turns(
    clauses tsquery[], ranks tsquery[], weights real[], excluded tsquery, also bigint[], of_projects int[],
    of_agents text[], since timestamptz, until timestamptz, most int
)
    RETURNS TABLE (
        turn bigint, started_at timestamptz, matched boolean[], ranked real[], frequencies bigint[], total bigint
    )
    LANGUAGE sql STABLE ROWS 100 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        WITH clause AS (
            SELECT c.q, c.n FROM unnest(clauses) WITH ORDINALITY AS c(q, n)
        ), size AS MATERIALIZED (
            SELECT greatest((
                SELECT count(*) FROM (
                    SELECT FROM memtui.turns t WHERE t.project = ANY ((SELECT memtui.allowed_projects())::int[])
                    LIMIT 20000
                ) counted
            ), (
                SELECT sum(c.reltuples)::bigint FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'memtui.turns'::regclass AND c.reltuples > 0
            )) AS turns
        ), found AS MATERIALIZED (
            SELECT c.n, newest.id, newest.month, newest.started_at, newest.frequency
            FROM clause c CROSS JOIN LATERAL (
                SELECT hit.id, hit.month, hit.started_at, count(*) OVER () AS frequency
                FROM (
                    SELECT t.id, t.month, t.started_at FROM memtui.turns t
                    WHERE t.words @@ c.q AND t.project = ANY ((SELECT memtui.allowed_projects())::int[])
                        AND t.device <> (SELECT memtui.this_device())
                        AND (of_projects IS NULL OR t.project = ANY (of_projects))
                        AND (of_agents IS NULL OR t.agent = ANY (of_agents))
                        AND (since IS NULL OR t.started_at >= since) AND (until IS NULL OR t.started_at < until)
                        AND NOT (excluded IS NOT NULL AND t.words @@ excluded)
                    LIMIT 20000
                ) hit
                ORDER BY hit.started_at DESC NULLS LAST, hit.id DESC LIMIT 1000
            ) newest
        ), counted AS MATERIALIZED (
            SELECT c.n, coalesce(max(f.frequency), 0) AS frequency
            FROM clause c LEFT JOIN found f ON f.n = c.n GROUP BY c.n
        ), best AS MATERIALIZED (
            SELECT candidate.id, candidate.month FROM (
                SELECT f.id, f.month, f.started_at,
                    sum(ln(1 + greatest(s.turns, c.frequency) / (c.frequency + 0.5))) AS rarity
                FROM found f JOIN counted c ON c.n = f.n CROSS JOIN size s GROUP BY f.id, f.month, f.started_at
                ORDER BY rarity DESC, f.started_at DESC NULLS LAST, f.id DESC LIMIT most
            ) candidate
            UNION
            SELECT t.id, t.month FROM memtui.turns t
            WHERE t.id = ANY (also) AND t.project = ANY ((SELECT memtui.allowed_projects())::int[])
                AND NOT (excluded IS NOT NULL AND t.words @@ excluded)
        )
        SELECT t.id, t.started_at,
            ARRAY (SELECT read.words @@ c.q FROM clause c ORDER BY c.n),
            ARRAY (SELECT ts_rank(weights, read.words, r.q) FROM unnest(ranks) WITH ORDINALITY AS r(q, n) ORDER BY r.n),
            (SELECT array_agg(c.frequency ORDER BY c.n) FROM counted c), s.turns
        FROM best b JOIN memtui.turns t ON t.id = b.id AND t.month = b.month CROSS JOIN size s
            -- The words are read once, not once for each rank.
            CROSS JOIN LATERAL (SELECT t.words || ''::tsvector AS words OFFSET 0) read
    $$;

-- The project with a key that is shared with exactly these groups, besides those that the administrator added; made if
-- there is none. Its lock is held to the end of the transaction.
CREATE FUNCTION memtui.open_project(project_key text, project_name text, group_names text[]) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    DECLARE
        found int;
        asking int := memtui.this_member();
        chosen int[];
    BEGIN
        IF asking IS NULL THEN
            RAISE EXCEPTION 'this login is not a device of the team' USING ERRCODE = '42501';
        END IF;
        SELECT array_agg(g.id ORDER BY g.id) INTO chosen
            FROM memtui.groups g JOIN memtui.group_members m ON m."group" = g.id
            WHERE g.name = ANY (group_names) AND m.member = asking;
        IF chosen IS NULL OR cardinality(chosen) < (SELECT count(DISTINCT name) FROM unnest(group_names) name) THEN
            RAISE EXCEPTION 'a project is shared only with groups of its member' USING ERRCODE = '42501';
        END IF;
        FOR attempt IN 1..2 LOOP
            SELECT min(p.id) INTO found FROM memtui.projects p
                WHERE p.key = project_key AND chosen = (
                    SELECT array_agg(pg."group" ORDER BY pg."group") FROM memtui.project_groups pg
                    WHERE pg.project = p.id AND NOT pg.by_admin
                );
            EXIT WHEN found IS NOT NULL;
            IF attempt = 1 THEN
                -- Nobody may hold this lock but by this function: members have no right to change the table.
                LOCK TABLE memtui.projects IN SHARE ROW EXCLUSIVE MODE;
            ELSE
                INSERT INTO memtui.projects (key, name) VALUES (project_key, project_name) RETURNING id INTO found;
                INSERT INTO memtui.project_groups (project, "group") SELECT found, unnest(chosen);
            END IF;
        END LOOP;
        RETURN found;
    END $$;

-- The partitions of a month, with their indexes. They are attached, as a partition that is created in its table waits
-- for all who read that, and who comes after waits too. It still waits for all who write: it is called before a
-- transaction that writes, not within it.
CREATE FUNCTION memtui.open_month(first date) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    DECLARE
        parent text;
        begin_at date := date_trunc('month', first::timestamp)::date;
        child text;
        hidden text;
    BEGIN
        IF memtui.this_device() IS NULL THEN
            RAISE EXCEPTION 'this login is not a device of the team' USING ERRCODE = '42501';
        END IF;
        IF begin_at < date '2020-01-01' OR begin_at > (now() + interval '2 months')::date THEN
            RAISE EXCEPTION 'no session can have started in %', begin_at USING ERRCODE = '22008';
        END IF;
        FOREACH parent IN ARRAY ARRAY['turns', 'terms', 'mentions', 'vectors'] LOOP
            child := format('%s_%s', parent, to_char(begin_at, 'YYYY_MM'));
            IF to_regclass(format('memtui.%I', child)) IS NULL THEN
                -- Members may only read this table, so that nobody else can hold the lock.
                LOCK TABLE memtui.meta IN SHARE ROW EXCLUSIVE MODE;
                IF to_regclass(format('memtui.%I', child)) IS NULL THEN
                    EXECUTE format(
                        'CREATE TABLE memtui.%I (LIKE memtui.%I INCLUDING DEFAULTS INCLUDING GENERATED'
                        ' INCLUDING CONSTRAINTS INCLUDING STORAGE INCLUDING COMPRESSION)', child, parent
                    );
                    -- Without a policy: a partition is used through its table only.
                    EXECUTE format('ALTER TABLE memtui.%I ENABLE ROW LEVEL SECURITY', child);
                    FOR hidden IN
                        SELECT attname FROM pg_attribute
                        WHERE attrelid = to_regclass(format('memtui.%I', parent)) AND attstattarget = 0
                    LOOP
                        EXECUTE format('ALTER TABLE memtui.%I ALTER %I SET STATISTICS 0', child, hidden);
                    END LOOP;
                    EXECUTE format(
                        'ALTER TABLE memtui.%I ATTACH PARTITION memtui.%I FOR VALUES FROM (%L) TO (%L)',
                        parent, child, begin_at, (begin_at + interval '1 month')::date
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
        -- Waits for pushes of the member that have already passed refuse_forgotten.
        PERFORM FROM memtui.members WHERE id = asking FOR UPDATE;
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
    DECLARE
        asking int := memtui.this_member();
    BEGIN
        -- The one who asks, not the one whom the row names: that would tell what others have forgotten.
        PERFORM FROM memtui.members WHERE id = asking FOR KEY SHARE;
        IF EXISTS (
            SELECT FROM memtui.tombstones t
            WHERE t.member = asking AND t.agent = NEW.agent AND t.session_id IN (NEW.session_id, NEW.parent_id)
        ) THEN
            RETURN NULL;
        END IF;
        RETURN NEW;
    END $$;
CREATE TRIGGER refuse_forgotten BEFORE INSERT OR UPDATE ON memtui.sessions
    FOR EACH ROW EXECUTE FUNCTION memtui.refuse_forgotten();

-- Figures of all projects without texts, for leads.
CREATE VIEW memtui.figures WITH (security_barrier) AS
    SELECT (t.started_at AT TIME ZONE 'UTC')::date AS day, p.name AS project, m.name AS member, t.agent,
        count(DISTINCT t.session) AS sessions, count(*) AS turns, sum(t.tool_calls) AS tool_calls,
        sum(t.errors) AS errors, sum(t.input_tokens) AS input_tokens, sum(t.output_tokens) AS output_tokens
    FROM memtui.turns t
    JOIN memtui.projects p ON p.id = t.project
    JOIN memtui.devices d ON d.id = t.device
    JOIN memtui.members m ON m.id = d.member
    WHERE (SELECT memtui.is_lead())
    GROUP BY 1, 2, 3, 4;

-- The planner's estimates, which EXPLAIN prints, come from values of all rows. Of texts that are not everybody's it
-- gets none, as their histogram could be read by asking for ever smaller ranges.
ALTER TABLE memtui.projects ALTER key SET STATISTICS 0, ALTER name SET STATISTICS 0;
ALTER TABLE memtui.tombstones ALTER session_id SET STATISTICS 0;
ALTER TABLE memtui.sessions ALTER session_id SET STATISTICS 0, ALTER parent_id SET STATISTICS 0,
    ALTER title SET STATISTICS 0, ALTER version SET STATISTICS 0, ALTER content SET STATISTICS 0;
-- (Those of `words` serve find_turns alone: no operator of tsvector is leakproof.)
ALTER TABLE memtui.turns ALTER digest SET STATISTICS 0, ALTER content SET STATISTICS 0;
ALTER TABLE memtui.terms ALTER terms SET STATISTICS 0;
ALTER TABLE memtui.mentions ALTER path SET STATISTICS 0, ALTER reversed SET STATISTICS 0;
ALTER TABLE memtui.vectors ALTER vector SET STATISTICS 0;

-- What a device may see and change. The owner of the tables, as which the functions above run, sees everything.
ALTER TABLE memtui.meta ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.devices ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.groups ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.group_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.projects ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.project_groups ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.tombstones ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.turns ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.terms ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.mentions ENABLE ROW LEVEL SECURITY;
ALTER TABLE memtui.vectors ENABLE ROW LEVEL SECURITY;

CREATE POLICY seen ON memtui.meta FOR SELECT USING ((SELECT memtui.this_device()) IS NOT NULL);
CREATE POLICY seen ON memtui.members FOR SELECT USING ((SELECT memtui.this_device()) IS NOT NULL);
CREATE POLICY seen ON memtui.devices FOR SELECT USING ((SELECT memtui.this_device()) IS NOT NULL);
CREATE POLICY seen ON memtui.groups FOR SELECT USING (id = ANY ((SELECT memtui.known_groups())::int[]));
CREATE POLICY seen ON memtui.group_members FOR SELECT
    USING ("group" = ANY ((SELECT memtui.known_groups())::int[]));
CREATE POLICY seen ON memtui.projects FOR SELECT USING (id = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY seen ON memtui.project_groups FOR SELECT
    USING (project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY seen ON memtui.tombstones FOR SELECT USING (member = (SELECT memtui.this_member()));

-- Members see their own sessions also when they have left the group, to be able to remove them.
CREATE POLICY seen ON memtui.sessions FOR SELECT USING (
    project = ANY ((SELECT memtui.allowed_projects())::int[]) OR device = ANY ((SELECT memtui.own_devices())::int[]));
CREATE POLICY added ON memtui.sessions FOR INSERT WITH CHECK (
    device = (SELECT memtui.this_device()) AND project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY changed ON memtui.sessions FOR UPDATE USING (device = (SELECT memtui.this_device()))
    WITH CHECK (device = (SELECT memtui.this_device()) AND project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY removed ON memtui.sessions FOR DELETE USING (device = (SELECT memtui.this_device()));

CREATE POLICY seen ON memtui.turns FOR SELECT USING (project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY added ON memtui.turns FOR INSERT WITH CHECK (
    device = (SELECT memtui.this_device()) AND project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY removed ON memtui.turns FOR DELETE USING (device = (SELECT memtui.this_device()));

CREATE POLICY seen ON memtui.terms FOR SELECT USING (project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY added ON memtui.terms FOR INSERT WITH CHECK (
    device = (SELECT memtui.this_device()) AND project = ANY ((SELECT memtui.allowed_projects())::int[]));
CREATE POLICY removed ON memtui.terms FOR DELETE USING (device = (SELECT memtui.this_device()));

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
-- By columns, so that nobody sets the ids: a violation would tell which ones exist, and the next one would not be free.
GRANT SELECT, DELETE,
    INSERT (device, project, agent, session_id, parent_id, title, started_at, ended_at, turns, version, content,
        pushed_at),
    UPDATE (project, title, started_at, ended_at, turns, version, content, pushed_at)
    ON memtui.sessions TO memtui_member;
GRANT SELECT, DELETE,
    INSERT (month, session, device, project, number, agent, kind, started_at, tool_calls, errors, input_tokens,
        output_tokens, digest, words, content)
    ON memtui.turns TO memtui_member;
GRANT SELECT, INSERT, DELETE ON memtui.terms, memtui.mentions, memtui.vectors TO memtui_member;
GRANT EXECUTE ON FUNCTION memtui.this_device(), memtui.this_member(), memtui.own_devices(), memtui.allowed_projects(),
    memtui.known_groups(), memtui.open_project(text, text, text[]), memtui.open_month(date),
    memtui.forget(text, text), memtui.find_turns(tsquery[], tsquery[], real[], tsquery, bigint[], int[], text[],
    timestamptz, timestamptz, int) TO memtui_member;
GRANT SELECT ON memtui.meta, memtui.figures, memtui.members, memtui.devices TO memtui_lead;
GRANT EXECUTE ON FUNCTION memtui.this_device(), memtui.is_lead() TO memtui_lead;
