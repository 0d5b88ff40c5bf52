// A TCP load balancer: forwards connections to processes that report ready, and checks their readiness
// several times a second.

import { connect, createServer, type Socket } from 'node:net'

export type Backend = {
  /** Default: this machine. */
  readonly host?: string
  readonly port: number
  /** Identifies the backend. */
  readonly readyUrl: string
}

export type Balancer = {
  add(backend: Backend): void
  /** Resolves when a readiness check of the backend succeeds. */
  waitUntilReady(backend: Backend): Promise<void>
  /** Whether a check found the backend not ready while it still accepted connections. */
  sawDraining(backend: Backend): boolean
  close(): Promise<void>
}

type TrackedBackend = Backend & { state: 'new' | 'ready' | 'draining' | 'stopped'; isBeingChecked: boolean }

const checkIntervalMs = 100

export async function startBalancer(port: number): Promise<Balancer> {
  const backends = new Set<TrackedBackend>()
  const sockets = new Set<Socket>()
  const ready = new Map<Backend, PromiseWithResolvers<void>>()
  let turn = 0
  const nextBackend = () => {
    const available = [...backends].filter(({ state }) => state === 'ready')
    turn += 1
    return available[turn % Math.max(1, available.length)]
  }
  const server = createServer((caller) => {
    sockets.add(caller.on('close', () => sockets.delete(caller)))
    forward(caller, nextBackend, sockets)
  })
  const timer = setInterval(() => {
    for (const backend of backends) {
      // Checks of a backend do not overlap, so that a slow check cannot end after a later one.
      if (backend.isBeingChecked) continue
      backend.isBeingChecked = true
      void checkReadiness(backend, () => ready.get(backend)?.resolve()).finally(() => {
        backend.isBeingChecked = false
      })
    }
  }, checkIntervalMs)
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve)
  })
  const findBackend = ({ readyUrl }: Backend) =>
    [...backends].find((backend) => backend.readyUrl === readyUrl)

  return {
    add(backend) {
      const tracked: TrackedBackend = { ...backend, state: 'new', isBeingChecked: false }
      ready.set(tracked, Promise.withResolvers())
      backends.add(tracked)
    },
    async waitUntilReady(backend) {
      const tracked = findBackend(backend)
      if (tracked !== undefined) await ready.get(tracked)?.promise
    },
    sawDraining: (backend) => {
      const state = findBackend(backend)?.state
      return state === 'draining' || state === 'stopped'
    },
    async close() {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Updates the state of a backend. A process that was not ready, because it was draining or had no database, can
 * become ready again. A process that ends without draining first is never recorded as draining.
 */
async function checkReadiness(backend: TrackedBackend, onReady: () => void): Promise<void> {
  const response = await fetch(backend.readyUrl).catch(() => null)
  await response?.body?.cancel()
  if (backend.state === 'stopped') return
  if (response === null) {
    if (backend.state === 'draining') backend.state = 'stopped'
    return
  }
  if (response.ok && backend.state !== 'ready') {
    backend.state = 'ready'
    onReady()
  } else if (!response.ok && backend.state === 'ready') backend.state = 'draining'
}

function forward(caller: Socket, nextBackend: () => Backend | undefined, sockets: Set<Socket>): void {
  const backend = nextBackend()
  if (backend === undefined) return void caller.destroy()
  const server = connect(backend.port, backend.host ?? '127.0.0.1')
  sockets.add(server.on('close', () => sockets.delete(server)))
  caller.on('error', () => server.destroy())
  server.on('error', () => caller.destroy())
  caller.pipe(server).pipe(caller)
}
