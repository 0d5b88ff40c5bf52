// Unauthenticated actions: a payer who authenticates at the bank and returns, and a forged webhook.

import { sign } from '../../../simulator/src/signature.ts'
import { type AccountKind, providerOfKind } from './account-kinds.ts'
import type { PaymentRun } from './scenario-run.ts'

/** Follows the redirect to the bank's page, and back to the return URL. */
export async function completePayerAction(run: PaymentRun, id: string, button: string): Promise<string> {
  const { harness, workspace } = run
  const headers = { authorization: `Bearer ${workspace.token}` }
  const payment = (await harness.app.inject({ method: 'GET', url: `/payments/${id}`, headers })).json()
  if (payment.next_action === null) return `no action required (${payment.status})`
  const redirect = await harness.app.inject({ method: 'GET', url: pathOf(payment.next_action.url) })
  if (redirect.statusCode >= 500)
    run.violations.push(`responded with ${redirect.statusCode} to the redirect to the bank`)
  const bank = redirect.headers.location
  // A concurrent action has completed the authentication.
  if (bank === undefined) return `is not redirected (${redirect.statusCode})`
  const response = await fetch(bank, {
    method: 'POST',
    body: new URLSearchParams({ result: button }),
    redirect: 'manual',
  })
  await response.text()
  const returnUrl = response.headers.get('location')
  if (returnUrl === null) return 'the bank does not redirect back'
  const returned = await harness.app.inject({ method: 'GET', url: pathOf(returnUrl) })
  if (returned.statusCode >= 500)
    run.violations.push(`responded with ${returned.statusCode} to the return of a payer`)
  return `the payer returns (${returned.statusCode})`
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

const isSigned = (kind: AccountKind) => providerOfKind(kind).webhooks?.signature !== 'none'

export async function forgeWebhook(run: PaymentRun, id: string): Promise<string> {
  const { harness, workspace } = run
  const url = `/provider-webhooks/${workspace.accounts[0]}`
  const operation = {
    reference: `${id.slice(-26)}-1`,
    kind: 'authorize',
    status: 'succeeded',
    provider_reference: 'sim_forged',
    amount: 1000,
    currency: 'eur',
  }
  const body = JSON.stringify({ id: `event_${id}`, type: 'operation.updated', operation })
  const signed = { role: 'callback', method: 'POST', path: url, body } as const
  const headers = {
    'content-type': 'application/json',
    'switchyard-signature': sign(signed, ['psec_of_an_attacker'], Math.floor(Date.now() / 1000)),
  }
  const { statusCode } = await harness.app.inject({ method: 'POST', url, headers, payload: body })
  // An unsigned webhook only triggers a lookup. This one has the wrong format.
  const expected = isSigned(workspace.kinds[0]) ? 401 : 400
  if (statusCode !== expected) run.violations.push(`a forged webhook got status ${statusCode}`)
  return String(statusCode)
}
