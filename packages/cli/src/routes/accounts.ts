/** Account names in route files: they are readable, and one file works in more than one workspace. */
import type { Switchyard } from '@switchyard/sdk'
import { CliError } from '../exit.ts'
import { kindOf } from '../nouns.ts'
import type { RouteDefinition } from './file.ts'

type Account = { readonly id: string; readonly display_name: string; readonly status: string }

/** Replaces account names with ids, as the API requires. */
export async function withAccountIds(
  client: Switchyard,
  definition: RouteDefinition,
): Promise<RouteDefinition> {
  if (accountsIn(definition).every(isId)) return definition
  const accounts = await listAccounts(client)
  return mapAccounts(definition, (text) => (isId(text) ? text : idOf(accounts, text)))
}

/** Replaces account ids with names. An account keeps its id if its name is not unique. */
export async function withAccountNames(
  client: Switchyard,
  definition: RouteDefinition,
): Promise<RouteDefinition> {
  const accounts = await listAccounts(client)
  return mapAccounts(definition, (id) => {
    const name = accounts.find((account) => account.id === id)?.display_name
    return name !== undefined && accountsNamed(accounts, name).length === 1 && !isId(name) ? name : id
  })
}

async function listAccounts(client: Switchyard): Promise<readonly Account[]> {
  const all = await client.providerAccounts.list().all({ max: 1_000 })
  return all.filter(({ status }) => status !== 'archived')
}

function accountsNamed(accounts: readonly Account[], name: string): Account[] {
  return accounts.filter(({ display_name }) => display_name === name)
}

function idOf(accounts: readonly Account[], name: string): string {
  const [account, ...others] = accountsNamed(accounts, name)
  if (account !== undefined && others.length === 0) return account.id
  if (account === undefined)
    throw new CliError(
      'usage',
      `No account is named "${name}".`,
      `Accounts: ${accounts.map(({ display_name }) => `"${display_name}"`).join(', ') || 'none'}.`,
    )
  const ids = [account, ...others].map(({ id }) => id).join(', ')
  throw new CliError('usage', `Several accounts are named "${name}".`, `Use an id instead: ${ids}.`)
}

function isId(text: string): boolean {
  return kindOf(text) === 'provider_account'
}

function accountsIn(definition: RouteDefinition): string[] {
  const accounts: string[] = []
  mapAccounts(definition, (text) => {
    accounts.push(text)
    return text
  })
  return accounts
}

type Change = (account: string) => string
type Distribution = RouteDefinition['default']

/** Applies `change` to every account in the definition. Invalid parts stay unchanged; the API reports them. */
export function mapAccounts(definition: RouteDefinition, change: Change): RouteDefinition {
  const { rules, default: otherwise, examples } = definition
  return {
    ...definition,
    default: mapDistribution(otherwise, change),
    ...(rules && { rules: rules.map((rule) => ({ ...rule, then: mapDistribution(rule.then, change) })) }),
    ...(examples && { examples: examples.map((example) => mapExample(example, change)) }),
  }
}

function mapDistribution(distribution: Distribution, change: Change): Distribution {
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

function mapExample(example: Example, change: Change): Example {
  const account = example.expect?.provider_account_id
  if (account === undefined) return example
  return { ...example, expect: { ...example.expect, provider_account_id: change(account) } }
}
