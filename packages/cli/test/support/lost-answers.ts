// The way to a server on which the answers to some calls get lost: the call arrives, and nobody hears of it.

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Answers the address to call. `isLost` says, by method and path, which answers never arrive. */
export async function losingAnswers(address: string, isLost: (call: string) => boolean): Promise<string> {
  const server = createServer((asked, answer) => {
    const { method = '', url = '', headers } = asked
    const onward = request(address + url, { method, headers }, (heard) => {
      if (isLost(`${method} ${url}`)) return asked.socket.destroy()
      answer.writeHead(heard.statusCode ?? 502, heard.headers)
      heard.pipe(answer)
    })
    asked.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
