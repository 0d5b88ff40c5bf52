/**
 * What cannot be taken back, and is asked about first. Every action has a row, so that whoever adds one to the API
 * has to decide: without it this file does not compile. Making and changing objects is never asked about, and
 * deleting them always.
 */
import type { WriteName } from './nouns.generated.ts'

type Decided = Exclude<WriteName, `${string}.${'create' | 'update' | 'delete'}`>

/** What becomes of it, for the question; null if another call undoes it, or if nothing is lost by it. */
// biome-ignore format: a table.
const consequences: { readonly [O in Decided]: string | null } = {
  'people.deactivate':               'Their sessions end, for good.',
  'people.sign_out':                 null,
  'invitations.revoke':              'Its link opens nothing any more.',
  'api_tokens.roll':                 'Its old text stops working when the overlap ends.',
  'api_tokens.revoke':               'Whoever uses it is refused from now on.',
  'test_clocks.advance':             null,
  'provider_accounts.enable':        null,
  'provider_accounts.disable':       null,
  'provider_accounts.archive':       'It is for good.',
  'provider_accounts.hold':          null,
  'provider_accounts.release':       null,
  'provider_accounts.check':         null,
  'provider_accounts.rotate_secret': 'The earlier secret stops working when the overlap ends.',
  'payment_routes.archive':          'No new payments are made by it.',
  'payment_routes.publish':          'New payments follow it at once.',
  'payment_routes.lint':             null,
  'payment_routes.simulate':         null,
  'route_simulations.cancel':        null,
  'vault.confirm':                   'It is said in your name, and stays in the audit log.',
  'payment_methods.attach':          null,
  'payment_methods.detach':          'Its card is destroyed.',
  'payments.capture':                null,
  'payments.cancel':                 'What is held for it is let go.',
  'payments.check':                  null,
  'payments.resolve_operation':      'Nobody else is asked; it counts as if the provider had said it.',
  'invoices.finalize':               'It gets its number and is collected.',
  'invoices.pay':                    null,
  'invoices.void':                   'Nobody owes it any more.',
  'invoices.mark_uncollectible':     'Nothing more is tried by itself.',
  'subscriptions.pause':             null,
  'subscriptions.resume':            null,
  'subscriptions.cancel':            'It is for good.',
  'subscriptions.unpark':            null,
  'subscriptions.preview_create':    null,
  'subscriptions.preview':           null,
  'dunning_campaigns.retry':         null,
  'dunning_campaigns.stop':          'Nothing is tried any more.',
  'payment_links.deactivate':        null,
  'payment_links.activate':          null,
  'checkout_sessions.expire':        'Nobody can pay in it any more.',
  'events.resend':                   null,
  'webhook_endpoints.enable':        null,
  'webhook_endpoints.disable':       null,
  'webhook_endpoints.rotate_secret': 'The earlier secret stops signing when the overlap ends.',
  'webhook_endpoints.test':          null,
  'deliveries.resend':               null,
  'webhook_recoveries.cancel':       null,
}

/** Null if it is done without a question. */
export function questionOf(operation: string, about: string, ids: readonly string[]): string | null {
  if (operation.endsWith('.delete')) return `Delete ${ids.join(' ')}? It is for good.`
  const consequence = (consequences as { readonly [operation: string]: string | null })[operation] ?? null
  return consequence === null ? null : `${[about, ...ids].join(' ')}? ${consequence}`
}
