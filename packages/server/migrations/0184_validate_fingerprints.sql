-- Validated apart from 0183, because this reads the whole table without blocking writes.
alter table card_tokens validate constraint a_fingerprint_names_its_vault;
