// A custom provider whose responses a test defines. It neither signs its responses nor keeps a ledger.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

/** The request, and the record that a provider would return after executing it. */
type ProviderRequest = {
  readonly method: string
  readonly body: Record<string, unknown>
  readonly record: Record<string, unknown>
}
export type ProviderAnswer = (response: ServerResponse, request: ProviderRequest) => unknown

export const json = (response: ServerResponse, status: number, body: unknown) => {
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** The default response: every operation succeeds, and lookups find nothing. */
export const honest: ProviderAnswer = (response, { method, record }) =>
  method === 'PUT' ? json(response, 200, record) : json(response, 404, {})

export async function scriptedProviderForThisFile() {
  const requests: ProviderRequest[] = []
  const records = new Map<string, ProviderRequest['record']>()
  const provider = { url: '', requests, answer: honest, sent: () => requests.filter(isOperation).length }
  const server = createServer(async (request, response) => {
    const received = await readRequest(request, records)
    requests.push(received)
    provider.answer(response, received)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return provider
}

const isOperation = ({ method }: ProviderRequest) => method === 'PUT'

/** Parses a request. A lookup gets the record of its operation. */
async function readRequest(
  request: IncomingMessage,
  records: Map<string, ProviderRequest['record']>,
): Promise<ProviderRequest> {
  let text = ''
  for await (const chunk of request) text += chunk
  const body = text === '' ? {} : JSON.parse(text)
  const { kind, amount, currency } = body
  const reference = /\/operations\/([^/?]+)/.exec(request.url ?? '')?.[1] ?? ''
  const succeeded = {
    reference,
    kind,
    amount,
    currency,
    status: 'succeeded',
    provider_reference: `ref_${reference}`,
  }
  if (request.method === 'PUT') records.set(reference, succeeded)
  return { method: request.method ?? '', body, record: records.get(reference) ?? succeeded }
}
