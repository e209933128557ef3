-- Ranking by BM25, which a later run adds if the server gets pg_textsearch.
CREATE EXTENSION IF NOT EXISTS pg_textsearch WITH SCHEMA public;
CREATE INDEX IF NOT EXISTS turns_terms ON memtui.terms USING bm25 (terms) WITH (text_config = 'simple');

-- The turns of other devices that rank best, without their scores. These come from how often all turns have a word, and
-- pg_textsearch computes them for any text and everybody: they would tell whether a turn that one may not read has it.
CREATE OR REPLACE FUNCTION memtui.best_turns(
    asked text, of_projects int[], of_agents text[], since timestamptz, until timestamptz, most int
)
    RETURNS bigint[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    -- For a table with few rows the planner would compute the score of each from its whole text.
    SET enable_seqscan = off SET enable_sort = off
    AS $$
    DECLARE
        best bigint[];
    BEGIN
        EXECUTE format(
            'SELECT ARRAY (
                SELECT t.turn FROM memtui.terms t
                WHERE t.project = ANY ((SELECT memtui.allowed_projects())::int[])
                    AND t.device <> (SELECT memtui.this_device())
                    AND ($1 IS NULL OR t.project = ANY ($1)) AND ($2 IS NULL OR t.agent = ANY ($2))
                    AND ($3 IS NULL OR t.started_at >= $3) AND ($4 IS NULL OR t.started_at < $4)
                ORDER BY t.terms OPERATOR(public.<@>) public.to_bm25query(%L, ''memtui.turns_terms'') LIMIT $5
            )', asked
        ) INTO best USING of_projects, of_agents, since, until, most;
        RETURN best;
    END $$;
REVOKE ALL ON FUNCTION memtui.best_turns(text, int[], text[], timestamptz, timestamptz, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memtui.best_turns(text, int[], text[], timestamptz, timestamptz, int) TO memtui_member;

DO $$
DECLARE
    scoring regprocedure;
BEGIN
    FOR scoring IN
        SELECT d.objid FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
        WHERE e.extname = 'pg_textsearch' AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', scoring);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', scoring, (
            SELECT pg_get_userbyid(proowner) FROM pg_proc
            WHERE pronamespace = 'memtui'::regnamespace AND proname = 'best_turns'
        ));
    END LOOP;
END $$;
