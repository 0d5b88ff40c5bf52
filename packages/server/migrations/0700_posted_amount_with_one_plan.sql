-- The sum of two lines of a cause. Deferred triggers call this for every change that moves money.
--
-- With a plan for the actual ids, PostgreSQL reads one partition, so it prefers to plan each time, which takes 20 to 50 times
-- as long as reading the row. The generic plan chooses the partition when it is executed. It is kept while the partitions
-- grow, so it must not contain a sequential scan.
create or replace function posted_amount(in_workspace uuid, cause uuid, first_line int, second_line int) returns int8
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  first_id constant uuid := ledger_posting_id(cause, first_line);
  second_id constant uuid := ledger_posting_id(cause, second_line);
begin
  return coalesce((
      select amount from ledger_postings where workspace_id = in_workspace and id = first_id), 0)
    + case when second_id is null then 0 else coalesce((
      select amount from ledger_postings where workspace_id = in_workspace and id = second_id), 0) end;
end
$$;
