-- Usage alerts, and the periods in which customers reached their thresholds.
create table usage_alerts (
  workspace_id uuid not null,
  id           uuid not null,
  meter_id     uuid not null,
  -- Null: each customer.
  customer_id  uuid,
  name         text not null check (length(name) between 1 and 250),
  threshold    numeric not null check (threshold > 0),
  active       boolean not null default true,
  metadata     jsonb not null default '{}',
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  version      int not null default 1,
  sequence     int not null default 1,
  primary key (workspace_id, id),
  foreign key (workspace_id, meter_id) references meters (workspace_id, id)
);
create index usage_alerts_of_meter on usage_alerts (workspace_id, meter_id, id);
create index usage_alerts_of_customer on usage_alerts (workspace_id, customer_id, id) where customer_id is not null;
create constraint trigger usage_alerts_change_is_told after insert or update on usage_alerts
  deferrable initially deferred for each row execute function change_is_told();

create table usage_alert_triggers (
  workspace_id    uuid not null,
  id              uuid not null,
  usage_alert_id  uuid not null,
  meter_id        uuid not null,
  customer_id     uuid not null,
  period_start_at timestamptz not null,
  period_end_at   timestamptz not null,
  threshold       numeric not null,
  -- The usage when the threshold was found to be reached.
  usage           numeric not null,
  created_at      timestamptz not null,
  sequence        int not null default 1,
  primary key (workspace_id, id),
  foreign key (workspace_id, usage_alert_id) references usage_alerts (workspace_id, id),
  -- An alert triggers once for each customer and period, even if the work runs again.
  constraint one_trigger_per_period unique (workspace_id, usage_alert_id, customer_id, period_start_at),
  constraint trigger_period_has_a_length check (period_start_at < period_end_at),
  constraint threshold_is_reached check (usage >= threshold)
);
create index usage_alert_triggers_of_alert on usage_alert_triggers (workspace_id, usage_alert_id, id);
create constraint trigger usage_alert_triggers_change_is_told after insert or update on usage_alert_triggers
  deferrable initially deferred for each row execute function change_is_told();

do $$
declare
  name text;
begin
  foreach name in array array['usage_alerts', 'usage_alert_triggers'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
grant select, insert, update on usage_alerts to switchyard_app;
grant select, insert on usage_alert_triggers to switchyard_app;
