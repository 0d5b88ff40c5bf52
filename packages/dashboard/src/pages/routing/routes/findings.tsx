/** The lint findings of a route, shown next to the part they concern. */
import { SwitchyardError } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { useIsAllowed } from '../../../api/workspace.tsx'
import { countText } from '../../../format/text.ts'
import { useDebounced } from '../../../ui/debounced.ts'
import { StatusMark } from '../../../ui/status.tsx'
import type { Definition } from './definition.ts'
import { type Finding, incompleteParts } from './incomplete-parts.ts'

export type { Finding } from './incomplete-parts.ts'

export type Lint = {
  readonly findings: readonly Finding[]
  readonly isCurrent: boolean
  /** Whether the lint request failed, so that there are no findings. */
  readonly isFailed: boolean
  readonly errors: number
}

/** Runs the lint check while the user edits, debounced. */
export function useLint(definition: Definition): Lint {
  const canLint = useIsAllowed()('payment_routes.lint')
  const debounced = useDebounced(definition)
  const incomplete = incompleteParts(definition)
  const { data, error, isPlaceholderData } = useObject(
    ['payment_route', 'lint', debounced],
    (api) => api.paymentRoutes.lint(debounced),
    { enabled: canLint && incompleteParts(debounced).length === 0 },
  )
  const serverFindings = error === null ? (data?.findings ?? []) : faultsOf(error)
  const findings = incomplete.length === 0 ? serverFindings : incomplete
  const isFailed = incomplete.length === 0 && error !== null && serverFindings.length === 0
  const hasResponse = canLint && (data !== undefined || error !== null) && !isPlaceholderData
  const isCurrent =
    incomplete.length > 0 || (hasResponse && JSON.stringify(debounced) === JSON.stringify(definition))
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return { findings, isCurrent, isFailed, errors }
}

/** For an invalid definition the server returns validation errors instead of findings. */
function faultsOf(error: Error): Finding[] {
  if (!(error instanceof SwitchyardError)) return []
  return error.errors.map(({ pointer, detail }) => ({ severity: 'error', pointer: pointer ?? '', detail }))
}

export function findingsUnder(findings: readonly Finding[], pointer: string): readonly Finding[] {
  return findings.filter((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))
}

export function findingsAt(findings: readonly Finding[], ...pointers: string[]): readonly Finding[] {
  return findings.filter((one) => pointers.includes(one.pointer))
}

/** `locationOf` adds the location, for findings that are not shown next to their part. */
export function Findings(props: { findings: readonly Finding[]; locationOf?: (pointer: string) => string }) {
  const { findings, locationOf } = props
  if (findings.length === 0) return null
  return (
    <ul className="grid gap-1">
      {findings.map(({ severity, pointer, detail }) => (
        <li
          key={`${pointer} ${detail}`}
          className={`flex items-start gap-2 text-compact ${severity === 'error' ? 'text-danger' : 'text-warning'}`}
        >
          <span className="mt-1">
            <StatusMark mark={severity === 'error' ? 'barred' : 'triangle'} />
          </span>
          <span>
            <span className="sr-only">{severity === 'error' ? 'Error: ' : 'Warning: '}</span>
            {locationOf !== undefined && <strong>{locationOf(pointer)}</strong>}
            {detail}
          </span>
        </li>
      ))}
    </ul>
  )
}

export function LintSummary({ lint }: { lint: Lint }) {
  const canLint = useIsAllowed()('payment_routes.lint')
  const { errors } = lint
  const text = lint.isCurrent ? summaryOf(lint) : canLint ? 'Checking…' : 'Not checked'
  return (
    <span role="status" className={`text-compact ${errors > 0 ? 'text-danger' : 'text-ink2'}`}>
      {text}
    </span>
  )
}

function summaryOf({ findings, errors, isFailed }: Lint): string {
  if (isFailed) return 'The check failed'
  const warnings = findings.length - errors
  if (errors + warnings === 0) return 'No issues'
  const parts = [
    errors > 0 ? countText(errors, 'error') : '',
    warnings > 0 ? countText(warnings, 'warning') : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}
