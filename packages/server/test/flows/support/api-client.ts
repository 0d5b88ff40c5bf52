// An API client with persistent connections. It can read complete lists and create thousands of customers.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

export type ApiClient = {
  /** Returns the body of the response. Throws if the request fails. */
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the type of the body.
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<any>
  /** Reads all pages of a list and returns the ids. */
  listIds(path: string): Promise<string[]>
  /**
   * Creates customers, each of which emits an event. A request without a response is repeated with its
   * idempotency key, so that each customer is created once.
   */
  createCustomers(load: CustomerLoad): Promise<void>
  /** The same connections with another token. */
  as(token: string): ApiClient
  close(): Promise<void>
}

export type CustomerLoad = {
  readonly count: number
  readonly connections?: number
  /** The default is as fast as possible. */
  readonly perSecond?: number
}

type ApiRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: object | undefined
  readonly key?: string
}

const maxConnections = 64
const pageSize = 100
const retryDelayMs = 100
/** The server or its database is unavailable, or a request with the same key is still running. */
const retryableStatuses: readonly number[] = [409, 503]

export function openApi(address: string, token: string): ApiClient {
  return createClient(new Pool(address, { connections: maxConnections }), token)
}

function createClient(pool: Pool, token: string): ApiClient {
  const send = async ({ method, path, body, key }: ApiRequest) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    }
    const text = body === undefined ? null : JSON.stringify(body)
    const response = await pool.request({ method, path, headers, body: text })
    return { status: response.statusCode, text: await response.body.text() }
  }
  const createCustomer = async (body: object, key: string) => {
    for (;;) {
      const response = await send({ method: 'POST', path: '/customers', body, key }).catch(() => null)
      if (response?.status === 201) return
      if (response !== null && !retryableStatuses.includes(response.status))
        throw requestError('POST', '/customers', response)
      await sleep(retryDelayMs)
    }
  }
  const api: ApiClient = {
    async call(method, path, body) {
      const response = await send({ method, path, body })
      if (response.status >= 300) throw requestError(method, path, response)
      return response.text === '' ? null : JSON.parse(response.text)
    },
    async listIds(path) {
      const ids: string[] = []
      for (;;) {
        const after = ids.length === 0 ? '' : `&starting_after=${ids.at(-1)}`
        const page = await api.call('GET', `${path}&limit=${pageSize}${after}`)
        for (const { id } of page.data) ids.push(id)
        if (!page.has_more) return ids
      }
    },
    createCustomers: (load) => createCustomers(createCustomer, load),
    as: (other) => createClient(pool, other),
    close: () => pool.close(),
  }
  return api
}

function requestError(
  method: string,
  path: string,
  { status, text }: { status: number; text: string },
): Error {
  return new Error(`${method} ${path} responded with ${status}: ${text}`)
}

async function createCustomers(
  createCustomer: (body: object, key: string) => Promise<void>,
  { count, connections = 16, perSecond = Number.POSITIVE_INFINITY }: CustomerLoad,
): Promise<void> {
  const run = randomUUID()
  const startedMs = performance.now()
  let next = 0
  const createUntilDone = async () => {
    while (next < count) {
      const index = next++
      const earlyMs = startedMs + (index * 1000) / perSecond - performance.now()
      if (earlyMs > 1) await sleep(earlyMs)
      const person = { name: `Ada Lovelace ${index}`, email: 'ada@example.com' }
      await createCustomer({ ...person, metadata: { order: '1815' } }, `${run}-${index}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, createUntilDone))
}
