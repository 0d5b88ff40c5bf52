/**
 * Reads the actual query plans of the sent statements, with their actual values, from the log of Postgres. A plan is a
 * problem if its cost grows with the size of the table instead of the size of the result.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'

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

/** Server settings that log the plan of every statement. */
export const explainSettings = {
  shared_preload_libraries: 'pg_stat_statements,auto_explain',
  'auto_explain.log_format': 'json',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
}

/** Takes effect in new sessions. */
export const explainEverything = 'alter database switchyard set auto_explain.log_min_duration = 0'

const maxRows = 1_000
const maxRemoved = 10
const maxPartitions = 2

/** The current size of the log, as a position to read plans from later. */
export function endOfLog(logFile: string): number {
  return statSync(logFile).size
}

/** Every plan in the log after that position, in order of execution. */
export function readPlans(logFile: string, from = 0): Explained[] {
  const entries = readFrom(logFile, from).split(/^(?=\d{4}-\d\d-\d\d )/m)
  return entries.flatMap((entry) => {
    const json = /LOG: {2}duration: .* plan:\n([\s\S]*)$/.exec(entry)?.[1]
    if (json === undefined) return []
    // In the log, continuation lines of an entry start with a tab.
    const explained = JSON.parse(json.replaceAll(/^\t/gm, ''))
    return [{ text: explained['Query Text'], plan: explained.Plan }]
  })
}

function readFrom(file: string, from: number): string {
  const bytes = Buffer.alloc(statSync(file).size - from)
  const descriptor = openSync(file, 'r')
  try {
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, from))
  } finally {
    closeSync(descriptor)
  }
}

/** Returns the problems of a plan as messages. */
export function problemsOf({ plan }: Explained): string[] {
  const nodes = executedNodes(plan)
  return [...nodes.flatMap(nodeProblems), ...partitionProblems(nodes)]
}

function executedNodes(node: PlanNode): PlanNode[] {
  if ((node['Actual Loops'] ?? 0) === 0) return []
  return [node, ...(node.Plans ?? []).flatMap(executedNodes)]
}

function nodeProblems(node: PlanNode): string[] {
  const problems: string[] = []
  const removed =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  const rows = (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 1)
  const scan = `${node['Node Type']}${node['Relation Name'] ? ` of ${node['Relation Name']}` : ''}`
  if (node['Node Type'] === 'Seq Scan' && rows + removed > maxRows)
    problems.push(`${scan} reads ${rows + removed} rows`)
  if (node['Node Type'].includes('Sort') && rows > maxRows) problems.push(`${scan} sorts ${rows} rows`)
  if (removed > maxRemoved) problems.push(`${scan} discards ${removed} rows`)
  return problems
}

function partitionProblems(nodes: readonly PlanNode[]): string[] {
  const relations = new Set(nodes.flatMap((node) => node['Relation Name'] ?? []))
  const partitions = [...relations].filter((name) => partitionName.test(name))
  const byTable = Map.groupBy(partitions, (name) => name.replace(partitionName, ''))
  return [...byTable]
    .filter(([, partitionsRead]) => partitionsRead.length > maxPartitions)
    .map(([table, partitionsRead]) => `${partitionsRead.length} partitions of ${table} are read`)
}

const partitionName = /_(p\d{8}|default)$/
