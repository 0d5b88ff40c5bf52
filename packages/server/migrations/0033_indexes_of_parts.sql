-- Indexes of tables that are cut by time, for migrations: `select index_parts('request_log', 'by_code', '(...)')`, one in
-- a file, because who writes to the table waits until the file is done. The index is made for the parts that are small,
-- and for each part that comes. A large part is left as it is. It answers by its ids in order, and goes with the rest of
-- its rows: a week that is kept for 30 days is gone 37 days after it began, give or take the hour of the chore.
create function index_parts(parent text, suffix text, definition text, below_bytes bigint default 32 * 1024 * 1024)
  returns void language plpgsql as $$
declare
  part text;
begin
  -- The parent first, as whoever writes has it: the other way round, the two would wait for each other.
  execute format('create index %I on only %I %s', parent || '_' || suffix, parent, definition);
  for part in select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = parent::regclass and pg_relation_size(inhrelid) < below_bytes
  loop
    execute format('create index %I on %I %s', part || '_' || suffix, part, definition);
    execute format('alter index %I attach partition %I', parent || '_' || suffix, part || '_' || suffix);
  end loop;
end $$;
revoke execute on function index_parts from public;
