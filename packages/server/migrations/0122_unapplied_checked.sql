-- The column is 0 in all rows before this release, so the check holds.
alter table payments validate constraint unapplied_is_part_of_captured;
