-- As in 0386, and: the lines of a note add up to it, and only the note of a void invoice credits negative amounts. That note
-- has no postings of its own, because voiding the invoice has posted everything.
create or replace function credit_note_is_posted() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if (
      select sum(amount) = new.subtotal and sum(tax) = new.tax_total
        and (new.reason = 'void' or min(amount) > 0 and min(tax) >= 0)
      from credit_note_lines
      where workspace_id = new.workspace_id and credit_note_id = new.id
    ) is not true then
      raise exception 'credit note %: its lines do not add up to it', new.id
        using errcode = 'integrity_constraint_violation';
    end if;
    if new.reason = 'void' then
      perform require_whole_credit(new.workspace_id, new.invoice_id, true);
      return null;
    end if;
    perform require_postings(new.workspace_id, new.id, '{1}', new.tax_total);
    perform require_postings(new.workspace_id, new.id, '{3}', new.unearned_amount);
  elsif new.status = 'void' then
    if new.refund_id is not null and not exists (
      select from refunds
      where workspace_id = new.workspace_id and id = new.refund_id and status = 'failed'
    ) then
      raise exception 'the refund of credit note % has not failed', new.id
        using errcode = 'integrity_constraint_violation';
    end if;
    perform require_postings(new.workspace_id, new.id, '{0}', new.applied_amount);
    perform require_postings(new.workspace_id, new.id, '{2}', new.tax_total);
    perform require_postings(new.workspace_id, new.id, '{4}', case when exists (
      select from invoices
      where workspace_id = new.workspace_id and id = new.invoice_id and earned_at is null
    ) then new.unearned_amount else 0 end);
  end if;
  return null;
end
$$;

-- The notes of a void invoice with a number add up to its total, and to its tax if the last one was issued by the void.
create function require_whole_credit(in_workspace uuid, invoice uuid, has_void_note boolean) returns void
language plpgsql as $$
begin
  if not exists (
    select from invoices
    where workspace_id = in_workspace and id = invoice and status = 'void' and number is not null
      and amount_credited = total and (
        select sum(note.total) = invoices.total and (not has_void_note or sum(note.tax_total) = invoices.tax_total)
        from credit_notes as note
        where note.workspace_id = in_workspace and note.invoice_id = invoice and note.status = 'issued')
  ) then
    raise exception 'invoice %: it is void, but its credit notes do not add up to its total', invoice
      using errcode = 'integrity_constraint_violation';
  end if;
end
$$;

-- A finalized invoice becomes void only with its credit note. The version before this one does not issue notes, so its
-- transactions are not checked while it still runs during an upgrade. Invoices that were void before have no note.
create function void_invoice_is_credited() returns trigger
language plpgsql as $$
begin
  perform require_whole_credit(new.workspace_id, new.id, false);
  return null;
end
$$;
create constraint trigger void_invoices_are_credited after update on invoices
  deferrable initially deferred for each row
  when (current_setting('app.credits_voids', true) = 'on' and old.status <> 'void' and new.status = 'void'
    and new.number is not null and new.total > 0)
  execute function void_invoice_is_credited();
