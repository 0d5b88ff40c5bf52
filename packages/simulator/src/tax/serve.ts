/** Serves calls to simulated tax providers, with the planned faults, and the control calls of tests. */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../clock.ts'
import type { IncomingCall } from '../incoming.ts'
import { handleAvaTax } from './avatax.ts'
import { handleStripeTax, type TaxReply } from './stripe-tax.ts'
import { nextFault, type TaxFault, type TaxState, taxFaults } from './tax-state.ts'

export async function serveTax(
  state: TaxState,
  call: IncomingCall,
  response: ServerResponse,
  clock: Clock,
): Promise<void> {
  const [, provider, account = ''] = call.segments
  const fault = nextFault(state)
  if (fault === 'unavailable') return respond(response, { status: 503, body: {} })
  const handle = provider === 'avatax' ? handleAvaTax : provider === 'stripe_tax' ? handleStripeTax : null
  if (handle === null) return respond(response, { status: 404, body: {} })
  const reply = handle(state, account, call)
  if (fault === 'lost_answer') return void response.destroy()
  if (fault === 'server_error_after') return respond(response, { status: 500, body: { error: {} } })
  if (fault === 'late_answer') await clock.sleep(state.plan.lateMs)
  respond(response, reply)
}

function respond(response: ServerResponse, { status, body }: TaxReply): void {
  const text = JSON.stringify(body)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
}

/**
 * Sets the faults of all following calls: their share, their kinds, and whether the provider is down. Null if
 * invalid.
 */
export function planTaxFaults(state: TaxState, body: { readonly [name: string]: unknown }): object | null {
  const { share = 0, seed = 1, faults = taxFaults, late_ms: lateMs = 50, down = false } = body
  const isValid =
    typeof share === 'number' &&
    share >= 0 &&
    share <= 1 &&
    typeof seed === 'number' &&
    typeof lateMs === 'number' &&
    typeof down === 'boolean' &&
    Array.isArray(faults) &&
    faults.length > 0 &&
    faults.every((fault) => (taxFaults as readonly unknown[]).includes(fault))
  if (!isValid) return null
  state.plan = { share, seed, faults: faults as TaxFault[], lateMs }
  state.down = down
  return {}
}

/** All recorded documents, in the order in which they were recorded. */
export function taxLedger({ documents, calls, repeated }: TaxState, account: string | null): object {
  const recorded = [...documents.values()].filter((one) => account === null || one.account === account)
  return { documents: recorded, calls, repeated }
}
