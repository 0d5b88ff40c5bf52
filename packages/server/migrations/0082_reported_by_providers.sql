-- What the provider last reported of an operation: its status and, if it moved money, how much. A review shows it.
alter table operations add column reported jsonb;
