-- Who wrote a revision of a route, if it was a person who is signed in and no API token. Null in older rows.
alter table payment_route_revisions add column person_id uuid;
alter table payment_route_publications add column person_id uuid;
