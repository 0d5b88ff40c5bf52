/** Names of provider accounts in a file of a route: people read them, and a file with them fits more than one workspace. */
import type { Switchyard } from '@switchyard/sdk'
import { CliError } from '../exit.ts'
import { kindOf } from '../nouns.ts'
import type { RouteDefinition } from './file.ts'

type Account = { readonly id: string; readonly display_name: string; readonly status: string }

/** The definition as the API takes it. */
export async function withAccountIds(
  client: Switchyard,
  definition: RouteDefinition,
): Promise<RouteDefinition> {
  if (accountsIn(definition).every(isId)) return definition
  const accounts = await accountsOf(client)
  return mapAccounts(definition, (text) => (isId(text) ? text : idOf(accounts, text)))
}

/** The definition as people read it. An account whose name another one has too keeps its id. */
export async function withAccountNames(
  client: Switchyard,
  definition: RouteDefinition,
): Promise<RouteDefinition> {
  const accounts = await accountsOf(client)
  return mapAccounts(definition, (id) => {
    const name = accounts.find((account) => account.id === id)?.display_name
    return name !== undefined && named(accounts, name).length === 1 && !isId(name) ? name : id
  })
}

async function accountsOf(client: Switchyard): Promise<readonly Account[]> {
  const all = await client.providerAccounts.list().all({ max: 1_000 })
  return all.filter(({ status }) => status !== 'archived')
}

function named(accounts: readonly Account[], name: string): Account[] {
  return accounts.filter(({ display_name }) => display_name === name)
}

function idOf(accounts: readonly Account[], name: string): string {
  const [found, ...others] = named(accounts, name)
  if (found !== undefined && others.length === 0) return found.id
  if (found === undefined)
    throw new CliError(
      'usage',
      `No account is called "${name}".`,
      `There are: ${accounts.map(({ display_name }) => `"${display_name}"`).join(', ') || 'none'}.`,
    )
  const ids = [found, ...others].map(({ id }) => id).join(', ')
  throw new CliError('usage', `Several accounts are called "${name}".`, `Write the id of the one: ${ids}.`)
}

function isId(text: string): boolean {
  return kindOf(text) === 'provider_account'
}

function accountsIn(definition: RouteDefinition): string[] {
  const found: string[] = []
  mapAccounts(definition, (text) => {
    found.push(text)
    return text
  })
  return found
}

type Change = (account: string) => string
type Distribution = RouteDefinition['default']

/** Everywhere an account stands. What the file has wrong is left as it is: the API says so with its place. */
export function mapAccounts(definition: RouteDefinition, change: Change): RouteDefinition {
  const { rules, default: otherwise, examples } = definition
  return {
    ...definition,
    default: inDistribution(otherwise, change),
    ...(rules && { rules: rules.map((rule) => ({ ...rule, then: inDistribution(rule.then, change) })) }),
    ...(examples && { examples: examples.map((example) => inExample(example, change)) }),
  }
}

function inDistribution(distribution: Distribution, change: Change): Distribution {
  const { targets, fallback } = distribution ?? {}
  return {
    ...distribution,
    ...(targets && {
      targets: targets.map((target) =>
        typeof target === 'string'
          ? change(target)
          : { ...target, provider_account_id: change(target.provider_account_id) },
      ),
    }),
    ...(fallback && { fallback: fallback.map(change) }),
  }
}

type Example = NonNullable<RouteDefinition['examples']>[number]

function inExample(example: Example, change: Change): Example {
  const account = example.expect?.provider_account_id
  if (account === undefined) return example
  return { ...example, expect: { ...example.expect, provider_account_id: change(account) } }
}
