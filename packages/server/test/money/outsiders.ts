// Those who come without a token: a payer on the way to the bank and back, and somebody who forges a webhook.

import { sign } from '../../../simulator/src/signature.ts'
import type { Playing } from './playing.ts'

/** From our address to the bank's page, and back to ours. */
export async function actAsPayer(playing: Playing, id: string, pressed: string): Promise<string> {
  const { stage, ground } = playing
  const headers = { authorization: `Bearer ${ground.token}` }
  const payment = (await stage.app.inject({ method: 'GET', url: `/payments/${id}`, headers })).json()
  if (payment.next_action === null) return `nothing to do (${payment.status})`
  const away = await stage.app.inject({ method: 'GET', url: pathOf(payment.next_action.url) })
  if (away.statusCode >= 500) playing.wrongs.push(`answered ${away.statusCode} to a payer who leaves`)
  const bank = away.headers.location
  // Somebody was quicker: there is nothing left to do at the bank.
  if (bank === undefined) return `is not sent away (${away.statusCode})`
  const answer = await fetch(bank, {
    method: 'POST',
    body: new URLSearchParams({ result: pressed }),
    redirect: 'manual',
  })
  await answer.text()
  const back = answer.headers.get('location')
  if (back === null) return 'does not come back'
  const returned = await stage.app.inject({ method: 'GET', url: pathOf(back) })
  if (returned.statusCode >= 500) playing.wrongs.push(`answered ${returned.statusCode} to a payer`)
  return `comes back (${returned.statusCode})`
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

export async function forgeWebhook(playing: Playing, id: string): Promise<string> {
  const { stage, ground } = playing
  const url = `/provider-webhooks/${ground.accounts[0]}`
  const operation = {
    ...{ reference: `${id.slice(-26)}-1`, kind: 'authorize', status: 'succeeded' },
    ...{ provider_reference: 'sim_forged', amount: 1000, currency: 'eur' },
  }
  const body = JSON.stringify({ id: `event_${id}`, type: 'operation.updated', operation })
  const signed = { role: 'callback', method: 'POST', path: url, body } as const
  const headers = {
    'content-type': 'application/json',
    'switchyard-signature': sign(signed, ['psec_of_a_stranger'], Math.floor(Date.now() / 1000)),
  }
  const { statusCode } = await stage.app.inject({ method: 'POST', url, headers, payload: body })
  if (statusCode !== 401) playing.wrongs.push(`a forged webhook was answered with ${statusCode}`)
  return String(statusCode)
}
