// Receives the webhooks of an account, verifies their signatures, and responds as the test configures it.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Dispute } from '../../src/disputes.ts'
import type { OperationRecord } from '../../src/protocol.ts'
import { verify } from '../../src/signature.ts'

export type Webhook = {
  readonly valid: boolean
  readonly id: string
  readonly type: string
  readonly operation: OperationRecord
  readonly dispute?: Dispute
}

export async function startReceiver() {
  const webhooks: Webhook[] = []
  const secrets: string[] = []
  let status = 200
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const signed = { role: 'callback', method: 'POST', path: request.url ?? '', body } as const
    const header = request.headers['switchyard-signature'] as string
    const valid = verify(signed, header, secrets, Date.now() / 1000)
    webhooks.push({ ...JSON.parse(body.toString()), valid })
    response.writeHead(valid ? status : 401).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?of=simulator`,
    webhooks,
    secrets,
    respondWith: (next: number) => {
      status = next
    },
    clear: () => {
      webhooks.length = 0
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
