// Finds free ports on the loopback interface. They are below the range that the kernel uses for outgoing connections, so
// that the port of a killed service is still free when the service is started again.

import { createServer } from 'node:net'

const lowestPort = 15_000
const highestPort = 29_999
const maxAttempts = 100
/** A returned port is still free until its service listens, so it could be picked again. */
const pickedPorts = new Set<number>()

/** Never returns a port twice. `reserved` ports are free now, but will be used by a process that starts later. */
export async function freePort(reserved: readonly number[] = []): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort + 1))
    if (reserved.includes(port) || pickedPorts.has(port)) continue
    pickedPorts.add(port)
    if (await isFree(port)) return port
  }
  throw new Error(`No free port between ${lowestPort} and ${highestPort} in ${maxAttempts} attempts`)
}

/** The preferred port if it is free, else any free port. */
export async function preferPort(preferred: number, reserved: readonly number[] = []): Promise<number> {
  return !reserved.includes(preferred) && (await isFree(preferred)) ? preferred : await freePort(reserved)
}

/** Whether this process can listen on the port. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ host, port }, () => probe.close(() => resolve(true)))
  })
}
