// Collects every route of every server created after this call, as reported by Fastify, including routes that
// are not operations.

import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

export type RegisteredRoute = {
  readonly method: string
  readonly url: string
  readonly operation: string | null
}

export function collectRoutes(): readonly RegisteredRoute[] {
  const registered: RegisteredRoute[] = []
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', (route: RouteOptions) => {
      const operation = (route.config as { operation?: { id: string } } | undefined)?.operation?.id ?? null
      for (const method of [route.method].flat()) registered.push({ method, url: route.url, operation })
    })
  })
  return registered
}
