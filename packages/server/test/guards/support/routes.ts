// Every route of every server that is made after this call, as Fastify itself reports it: also one that
// was added past the operations.

import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

export type SeenRoute = { readonly method: string; readonly url: string; readonly operation: string | null }

export function watchRoutes(): readonly SeenRoute[] {
  const seen: SeenRoute[] = []
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', (route: RouteOptions) => {
      const operation = (route.config as { operation?: { id: string } } | undefined)?.operation?.id ?? null
      for (const method of [route.method].flat()) seen.push({ method, url: route.url, operation })
    })
  })
  return seen
}
