-- Doctor checks the card vaults of workspaces, and finds the workspaces that have one without reading all.
create index workspaces_with_vault on workspaces (workspace_id) where card_vault is not null;
grant select (card_vault) on workspaces to switchyard_due;
