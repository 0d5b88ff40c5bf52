// Sends the requests of the payment page to the public routes, as a payer who enters a card.

import { expect } from 'vitest'
import type { ApiResponse, Workspace } from './switchyard.ts'

export const cards = {
  approved: '4242424242424242',
  other: '5555555555554444',
  third: '378282246310005',
  declined: '4000000000510000',
  requiresAuthentication: '4000000030000006',
  /** The charge succeeds, but no response is sent. */
  noResponse: '4000000050040007',
} as const

export type PublicSession = { readonly id: string; readonly client_secret: string }

/** A payer without an API token. `from` is the client address, for a server behind a proxy. */
export function payerAt(address: string, from?: string) {
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(address + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(from === undefined ? {} : { 'x-forwarded-for': from }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    } as ApiResponse
  }
  const withSecret = ({ client_secret }: Pick<PublicSession, 'client_secret'>, key?: string) => ({
    'checkout-secret': client_secret,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  })

  return {
    call,
    fetchLink: (slug: string) => call('GET', `/checkout/links/${slug}`),
    createSession: (slug: string, body: object = {}) =>
      call('POST', `/checkout/links/${slug}/sessions`, body),
    /** Creates a session, which must succeed. */
    async openSession(slug: string, body: object = {}): Promise<PublicSession> {
      const { status, body: session } = await call('POST', `/checkout/links/${slug}/sessions`, body)
      expect(status, JSON.stringify(session)).toBe(201)
      return session
    },
    fetchSession: (session: PublicSession) =>
      call('GET', `/checkout/sessions/${session.id}`, undefined, withSecret(session)),
    receipt: (session: PublicSession) =>
      call('GET', `/checkout/sessions/${session.id}/receipt`, undefined, withSecret(session)),
    pay: (session: PublicSession, number: string = cards.approved, members: object = {}, key?: string) =>
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

export async function createLink({ post }: Pick<Workspace, 'post'>, members: object = {}) {
  const { status, body } = await post('/payment-links', { currency: 'eur', ...priceOf(members), ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  return { ...body, slug: slugOf(body) }
}

const priceOf = (members: object) =>
  'open_amount' in members || 'line_items' in members ? {} : { amount: 1299 }

export function slugOf({ url }: { readonly url: string }): string {
  return new URL(url).pathname.replace('/l/', '')
}
