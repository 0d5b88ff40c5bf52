// An address at which nobody listens, until somebody does.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export async function receiverThatIsGone() {
  let came = 0
  const open = () =>
    createServer((request, answer) => {
      came += 1
      request.resume()
      answer.end()
    })
  const first = open().listen(0, '127.0.0.1')
  await once(first, 'listening')
  const { port } = first.address() as AddressInfo
  first.close()
  return {
    url: `http://127.0.0.1:${port}/hook`,
    /** Answers how many requests have come since. */
    comeBack() {
      const server = open().listen(port, '127.0.0.1')
      onTestFinished(() => {
        server.close()
        server.closeAllConnections()
      })
      return () => came
    },
  }
}
