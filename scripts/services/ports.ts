// Free ports on the loopback interface. They are drawn from below the range the kernel hands out to
// outgoing connections: a service that is killed and started again then finds its port still free,
// which a busy test run would not leave to chance otherwise.

import { createServer } from 'node:net'

const lowestPort = 15_000
const highestPort = 29_999
const maxAttempts = 100

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort + 1))
    if (await isFree(port)) return port
  }
  throw new Error(`No free port between ${lowestPort} and ${highestPort} in ${maxAttempts} attempts`)
}

/** The wanted port if nobody listens there, else any free one. */
export async function preferPort(wanted: number): Promise<number> {
  return (await isFree(wanted)) ? wanted : await freePort()
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ host: '127.0.0.1', port }, () => probe.close(() => resolve(true)))
  })
}
