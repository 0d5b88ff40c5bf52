/**
 * Which actions require confirmation because they cannot be undone. Every action needs a row: an action of the API
 * without one is a compile error here. `create` and `update` require none; `delete` always does.
 */
import type { WriteName } from './nouns.generated.ts'

type ActionWithRow = Exclude<WriteName, `${string}.${'create' | 'update' | 'delete'}`>

/** The consequence shown in the question, or null if the action can be undone or loses nothing. */
// biome-ignore format: a table.
const consequences: { readonly [O in ActionWithRow]: string | null } = {
  'people.deactivate':               'Their sessions end, and the API tokens they created are permanently revoked.',
  'people.sign_out':                 null,
  'invitations.revoke':              'Its link stops working.',
  'api_tokens.roll':                 'The old token stops working when the overlap ends.',
  'api_tokens.revoke':               'It stops working immediately.',
  'test_clocks.advance':             null,
  'provider_accounts.enable':        null,
  'provider_accounts.disable':       null,
  'provider_accounts.archive':       'This cannot be undone.',
  'provider_accounts.hold':          null,
  'provider_accounts.release':       null,
  'provider_accounts.check':         null,
  'provider_accounts.rotate_secret': 'The old secret stops working when the overlap ends.',
  'payment_routes.archive':          'New payments cannot use it.',
  'payment_routes.publish':          'New payments use it immediately.',
  'payment_routes.lint':             null,
  'payment_routes.simulate':         null,
  'route_simulations.cancel':        null,
  'export_destinations.check':       null,
  'exports.cancel':                  null,
  'vault.confirm':                   'The audit log records that you confirmed it.',
  'payment_methods.attach':          null,
  'payment_methods.create_credential': null,
  'payment_methods.detach':          'Its card data is permanently deleted.',
  'payments.capture':                null,
  'disputes.accept':                 'The cardholder keeps the disputed amount. This cannot be undone.',
  'disputes.check':                  null,
  'mail_settings.preview':           null,
  'disputes.submit':                 'The evidence is sent to the provider. Most banks accept one response.',
  'payments.cancel':                 'Any authorization is voided.',
  'settlement_imports.upload':       null,
  'settlement_lines.resolve':        'This cannot be undone. The note is recorded in the audit log.',
  'payments.check':                  null,
  'payments.resolve_operation':      "The outcome you enter is final and counts as the provider's response.",
  'invoices.finalize':               'It gets an invoice number, and payment is collected.',
  'credit_notes.preview':            null,
  'tax_rules.preview':               null,
  'tax_provider.check':              null,
  'credit_notes.void':               'Its amount is owed again.',
  'invoices.preview':                null,
  'meter_events.cancel':             'They are not counted, and their ids cannot be recorded again.',
  'invoices.add_line':               null,
  'invoices.update_line':            null,
  'invoices.delete_line':            null,
  'invoices.send':                   'The customer gets an e-mail. A draft gets an invoice number first.',
  'invoices.pay':                    null,
  'invoices.void':                   'It is no longer owed, and a credit note reverses it.',
  'invoices.mark_uncollectible':     'Automatic payment attempts stop.',
  'subscriptions.pause':             null,
  'subscriptions.resume':            null,
  'subscriptions.cancel':            'This cannot be undone.',
  'subscriptions.unpark':            null,
  'subscriptions.preview_create':    null,
  'subscriptions.preview':           null,
  'dunning_campaigns.retry':         null,
  'cancellation_requests.accept':    'The subscription is cancelled. This cannot be undone.',
  'cancellation_requests.reject':    'This cannot be undone.',
  'dunning_campaigns.stop':          'Its remaining retries are cancelled.',
  'payment_links.deactivate':        null,
  'payment_links.activate':          null,
  'customers.update_payment_method_link': null,
  'customers.update_discounts':      null,
  'checkout_sessions.expire':        'It can no longer be paid.',
  'events.resend':                   null,
  'webhook_endpoints.enable':        null,
  'webhook_endpoints.disable':       null,
  'webhook_endpoints.rotate_secret': 'Events are no longer signed with the old secret when the overlap ends.',
  'webhook_endpoints.test':          null,
  'deliveries.resend':               null,
  'webhook_recoveries.cancel':       null,
}

/** The confirmation question, or null if the action requires none. */
export function confirmationFor(operation: string, about: string, ids: readonly string[]): string | null {
  if (operation.endsWith('.delete')) return `Delete ${ids.join(' ')}? This cannot be undone.`
  const consequence = (consequences as { readonly [operation: string]: string | null })[operation] ?? null
  return consequence === null ? null : `${[about, ...ids].join(' ')}? ${consequence}`
}
