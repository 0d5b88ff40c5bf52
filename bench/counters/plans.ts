/**
 * How the database carried out the statements it was really sent, with their real values, read from its log.
 * A plan is at fault when its cost would grow with what is stored, not with what is asked for.
 */
import { readFileSync } from 'node:fs'

export type PlanNode = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

export type Explained = { readonly text: string; readonly plan: PlanNode }

/** Settings for a server whose plans shall be read: every statement leaves its plan in the log. */
export const explainSettings = {
  shared_preload_libraries: 'pg_stat_statements,auto_explain',
  'auto_explain.log_format': 'json',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
}

/** For the sessions that begin from now on. */
export const explainEverything = 'alter database switchyard set auto_explain.log_min_duration = 0'

const maxRows = 1_000
const maxRemoved = 10
const maxPartitions = 2

/** Every plan in the log, in the order of their execution. */
export function readPlans(logFile: string): Explained[] {
  const entries = readFileSync(logFile, 'utf8').split(/^(?=\d{4}-\d\d-\d\d )/m)
  return entries.flatMap((entry) => {
    const json = /LOG: {2}duration: .* plan:\n([\s\S]*)$/.exec(entry)?.[1]
    if (json === undefined) return []
    // The log puts a tab before each further line of an entry.
    const explained = JSON.parse(json.replaceAll(/^\t/gm, ''))
    return [{ text: explained['Query Text'], plan: explained.Plan }]
  })
}

/** What is wrong with a plan, as sentences. */
export function faultsOf({ plan }: Explained): string[] {
  const nodes = executedNodes(plan)
  return [...nodes.flatMap(faultsOfNode), ...partitionFaults(nodes)]
}

function executedNodes(node: PlanNode): PlanNode[] {
  if ((node['Actual Loops'] ?? 0) === 0) return []
  return [node, ...(node.Plans ?? []).flatMap(executedNodes)]
}

function faultsOfNode(node: PlanNode): string[] {
  const faults: string[] = []
  const removed =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  const rows = (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 1)
  const where = `${node['Node Type']}${node['Relation Name'] ? ` of ${node['Relation Name']}` : ''}`
  if (node['Node Type'] === 'Seq Scan' && rows + removed > maxRows)
    faults.push(`${where} reads ${rows + removed} rows`)
  if (node['Node Type'].includes('Sort') && rows > maxRows) faults.push(`${where} sorts ${rows} rows`)
  if (removed > maxRemoved) faults.push(`${where} throws ${removed} rows away`)
  return faults
}

function partitionFaults(nodes: readonly PlanNode[]): string[] {
  const relations = new Set(nodes.flatMap((node) => node['Relation Name'] ?? []))
  const partitions = [...relations].filter((name) => partitionName.test(name))
  const byTable = Map.groupBy(partitions, (name) => name.replace(partitionName, ''))
  return [...byTable]
    .filter(([, touched]) => touched.length > maxPartitions)
    .map(([table, touched]) => `${touched.length} partitions of ${table} are read`)
}

const partitionName = /_(p\d{8}|default)$/
