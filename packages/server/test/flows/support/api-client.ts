// The API from outside, over connections that are kept: calls that must succeed, lists to their end, and
// customers by the thousand.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

export type ApiClient = {
  /** The body of the answer, which must be a success. */
  // biome-ignore lint/suspicious/noExplicitAny: a body is what the caller says it is.
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<any>
  /** The ids of all entries of a list. */
  listIds(path: string): Promise<string[]>
  /** Makes so many customers, each once: what is not answered is asked again with its key. */
  publish(publication: Publication): Promise<void>
  /** The same connections with another token. */
  as(token: string): ApiClient
  close(): Promise<void>
}

export type Publication = {
  readonly count: number
  readonly connections?: number
  /** Without it as fast as it goes. */
  readonly perSecond?: number
}

type Ask = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: object | undefined
  readonly key?: string
}

const maxConnections = 64
const pageSize = 100
const repeatMs = 100
/** The server or its database is away, or the same key is still under way. */
const passing: readonly number[] = [409, 503]

export function openApi(address: string, token: string): ApiClient {
  return clientOf(new Pool(address, { connections: maxConnections }), token)
}

function clientOf(pool: Pool, token: string): ApiClient {
  const send = async ({ method, path, body, key }: Ask) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    }
    const text = body === undefined ? null : JSON.stringify(body)
    const answer = await pool.request({ method, path, headers, body: text })
    return { status: answer.statusCode, text: await answer.body.text() }
  }
  const makeCustomer = async (body: object, key: string) => {
    for (;;) {
      const answer = await send({ method: 'POST', path: '/customers', body, key }).catch(() => null)
      if (answer?.status === 201) return
      if (answer !== null && !passing.includes(answer.status)) throw failed('POST', '/customers', answer)
      await sleep(repeatMs)
    }
  }
  const api: ApiClient = {
    async call(method, path, body) {
      const answer = await send({ method, path, body })
      if (answer.status >= 300) throw failed(method, path, answer)
      return answer.text === '' ? null : JSON.parse(answer.text)
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
    publish: (publication) => publish(makeCustomer, publication),
    as: (other) => clientOf(pool, other),
    close: () => pool.close(),
  }
  return api
}

function failed(method: string, path: string, { status, text }: { status: number; text: string }): Error {
  return new Error(`${method} ${path} answered ${status}: ${text}`)
}

async function publish(
  makeCustomer: (body: object, key: string) => Promise<void>,
  { count, connections = 16, perSecond = Number.POSITIVE_INFINITY }: Publication,
): Promise<void> {
  const run = randomUUID()
  const startedMs = performance.now()
  let next = 0
  const hand = async () => {
    while (next < count) {
      const nth = next++
      const earlyMs = startedMs + (nth * 1000) / perSecond - performance.now()
      if (earlyMs > 1) await sleep(earlyMs)
      const person = { name: `Ada Lovelace ${nth}`, email: 'ada@example.com' }
      await makeCustomer({ ...person, metadata: { order: '1815' } }, `${run}-${nth}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, hand))
}
