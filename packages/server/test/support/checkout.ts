// The payment page as a script: what it asks for at the doors, and a payer who types a card.

import { expect } from 'vitest'
import type { Answer, Workspace } from './switchyard.ts'

export const cards = {
  good: '4242424242424242',
  other: '5555555555554444',
  third: '378282246310005',
  declined: '4000000000510000',
  asksThePayer: '4000000030000006',
  /** Charged, and then silence. */
  silent: '4000000050040007',
} as const

export type PublicSession = { readonly id: string; readonly client_secret: string }

/** One who never sends a token. `from` is where they are, for a server behind a proxy. */
export function payerAt(address: string, from?: string) {
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(address + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(from === undefined ? {} : { 'x-forwarded-for': from }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return {
      status: answer.status,
      headers: answer.headers,
      body: isJson ? JSON.parse(text) : text,
    } as Answer
  }
  const withSecret = ({ client_secret }: Pick<PublicSession, 'client_secret'>, key?: string) => ({
    'checkout-secret': client_secret,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  })

  return {
    call,
    look: (slug: string) => call('GET', `/checkout/links/${slug}`),
    open: (slug: string, body: object = {}) => call('POST', `/checkout/links/${slug}/sessions`, body),
    async openOne(slug: string, body: object = {}): Promise<PublicSession> {
      const { status, body: session } = await call('POST', `/checkout/links/${slug}/sessions`, body)
      expect(status, JSON.stringify(session)).toBe(201)
      return session
    },
    see: (session: PublicSession) =>
      call('GET', `/checkout/sessions/${session.id}`, undefined, withSecret(session)),
    receipt: (session: PublicSession) =>
      call('GET', `/checkout/sessions/${session.id}/receipt`, undefined, withSecret(session)),
    pay: (session: PublicSession, number: string = cards.good, members: object = {}, key?: string) =>
      call(
        'POST',
        `/checkout/sessions/${session.id}/confirm`,
        {
          card: { number, exp_month: 12, exp_year: 2030, cvc: number.length === 15 ? '1234' : '123' },
          ...members,
        },
        withSecret(session, key),
      ),
  }
}

export async function aLink({ post }: Pick<Workspace, 'post'>, members: object = {}) {
  const { status, body } = await post('/payment-links', { currency: 'eur', ...priceOf(members), ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  return { ...body, slug: slugOf(body) }
}

const priceOf = (members: object) =>
  'open_amount' in members || 'line_items' in members ? {} : { amount: 1299 }

export function slugOf({ url }: { readonly url: string }): string {
  return new URL(url).pathname.replace('/l/', '')
}
