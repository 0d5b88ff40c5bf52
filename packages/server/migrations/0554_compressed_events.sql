-- The compressed data stays in its row: an event is written and read without the TOAST table.
alter table events alter column data set storage main, alter column padding set storage main;
