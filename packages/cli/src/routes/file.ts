/** A payment route as a file: the definition of a revision, and the id of its route after the first `apply`. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { CreatePaymentRoute, PaymentRoute, PaymentRouteRevision } from '@switchyard/sdk'
import { CliError } from '../exit.ts'

/** The members of a revision that a file can contain. */
const members = ['name', 'rules', 'default', 'failover', 'limits', 'examples'] as const

export type RouteDefinition = Pick<CreatePaymentRoute, (typeof members)[number]>
export type RouteFile = { readonly id: string | null; readonly definition: RouteDefinition }

export function readRouteFile(path: string): RouteFile {
  const content = parseFile(path)
  const unknown = Object.keys(content).filter(
    (name) => name !== 'id' && !members.some((known) => known === name),
  )
  if (unknown.length > 0)
    throw new CliError(
      'usage',
      `${path} has unknown members: ${unknown.join(', ')}.`,
      `Allowed members: id, ${members.join(', ')}.`,
    )
  const { id = null, ...definition } = content
  return { id: id as string | null, definition: definition as RouteDefinition }
}

export function writeRouteFile(path: string, { id, definition }: RouteFile): void {
  writeFileSync(path, formatRouteFile({ id, definition }))
}

export function formatRouteFile({ id, definition }: RouteFile): string {
  return `${JSON.stringify({ ...(id === null ? {} : { id }), ...definition }, null, 2)}\n`
}

export function definitionOf(route: PaymentRoute | PaymentRouteRevision): RouteDefinition {
  const { name, rules, default: otherwise, failover, limits, examples } = route
  return { name, rules, default: otherwise, failover, limits, examples }
}

function parseFile(path: string): Record<string, unknown> {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof content === 'object' && content !== null && !Array.isArray(content))
      return content as Record<string, unknown>
  } catch (error) {
    throw new CliError('failed', `Cannot read ${path}: ${(error as Error).message}`)
  }
  throw new CliError('usage', `${path} must contain a JSON object.`)
}
