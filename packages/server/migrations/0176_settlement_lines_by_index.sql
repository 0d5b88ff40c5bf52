-- A session keeps the plans of a trigger function while the table grows. A plan from when the table was small would read the
-- whole table for each line.
alter function settlement_line_is_posted() set enable_seqscan = off;
-- Without statistics, the planner assumes that every workspace has a share of the lines. With them it assumes that a
-- workspace with its first lines has one, and joins them by workspace alone.
alter table settlement_lines alter column workspace_id set statistics 0;
