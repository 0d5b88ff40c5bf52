-- Which shard each slot of workspaces is on. A slot without a row is on the first shard. Every change increments `epoch`.
create table control.placements (
  slot  smallint primary key check (slot between 0 and 4095),
  shard text not null check (shard ~ '^[a-z][a-z0-9_]{0,31}$'),
  epoch bigint not null default 1
);
grant select on control.placements to switchyard_control;
