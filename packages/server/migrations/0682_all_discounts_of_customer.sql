-- Outside a transaction. All discounts of a customer, also removed ones, for the version of the list.
create index concurrently if not exists all_discounts_of_customer on customer_discounts (workspace_id, customer_id);
