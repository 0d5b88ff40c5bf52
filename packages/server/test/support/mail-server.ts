// The SMTP server of a test file.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll } from 'vitest'
import { type ReceivedMail, serveSmtp } from './smtp.ts'

export async function mailServerForThisFile() {
  const received: ReceivedMail[] = []
  let rejected: { address: string; response: string } | null = null
  let dropsResponses = false
  const server = createServer((socket) =>
    serveSmtp(socket, {
      record: (mail) => received.push(mail),
      rejected: () => rejected,
      dropsResponses: () => dropsResponses,
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => server.close())

  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: (): readonly ReceivedMail[] => received,
    /** Rejects messages to this address until the next call. */
    refuse(address: string | null, response = '451 not now'): void {
      rejected = address === null ? null : { address, response }
    },
    /** Closes connections after the content of a message, instead of a response. */
    dropResponses(drops: boolean): void {
      dropsResponses = drops
    },
  }
}
