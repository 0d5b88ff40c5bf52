alter table customers add column tax_exempt boolean not null default false;
