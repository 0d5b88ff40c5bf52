-- A fence that was not lifted or opened within seconds is found by the process that reconciles.
grant select (moved_to, closed_at) on placements to switchyard_due;
