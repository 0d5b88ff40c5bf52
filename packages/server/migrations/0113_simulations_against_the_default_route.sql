-- A route simulation may compare a revision with the default route instead of another revision of the same route.
-- Null: `against` is a revision of the simulated route, or, if it is null too, the order of the provider accounts.
alter table route_simulations add column against_payment_route_id uuid;
alter table route_simulations add constraint compared_route_has_a_revision
  check (against_payment_route_id is null or against is not null) not valid;
alter table route_simulations validate constraint compared_route_has_a_revision;
