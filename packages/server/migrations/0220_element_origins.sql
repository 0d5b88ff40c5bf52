-- The origins of the merchant's own pages that may embed the payment element. They become a response header, so no
-- other characters are allowed. Without any, the element cannot be embedded.

alter table workspaces
  add column element_origins text[] not null default '{}',
  add constraint element_origins_are_few check (cardinality(element_origins) <= 20),
  add constraint element_origins_are_origins
    check (array_to_string(element_origins, ' ', '?') ~ '^(https?://[a-z0-9.-]+(:[0-9]+)?( |$))*$');
