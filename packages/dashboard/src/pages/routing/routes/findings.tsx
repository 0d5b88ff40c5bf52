/** What the lint says, at the place that it is about. */
import { SwitchyardError } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { useIsAllowed } from '../../../api/workspace.tsx'
import { counted } from '../../../format/words.ts'
import { useQuiet } from '../../../ui/quiet.ts'
import { StatusMark } from '../../../ui/status.tsx'
import type { Definition } from './definition.ts'
import { type Finding, unfinishedIn } from './unfinished.ts'

export type { Finding } from './unfinished.ts'

export type Lint = {
  readonly findings: readonly Finding[]
  readonly isSettled: boolean
  readonly errors: number
}

/** Asks while somebody types, a moment after the last key. */
export function useLint(definition: Definition): Lint {
  const mayAsk = useIsAllowed()('payment_routes.lint')
  const asked = useQuiet(definition)
  const unfinished = unfinishedIn(definition)
  const { data, error, isPlaceholderData } = useObject(
    ['payment_route', 'lint', asked],
    (api) => api.paymentRoutes.lint(asked),
    { enabled: mayAsk && unfinishedIn(asked).length === 0 },
  )
  const told = error === null ? (data?.findings ?? []) : faultsOf(error)
  const findings = unfinished.length === 0 ? told : unfinished
  const isSettled =
    unfinished.length > 0 ||
    (mayAsk && !isPlaceholderData && JSON.stringify(asked) === JSON.stringify(definition))
  return { findings, isSettled, errors: findings.filter(({ severity }) => severity === 'error').length }
}

/** What is not even a route is told by the shape of the request. */
function faultsOf(error: Error): Finding[] {
  if (!(error instanceof SwitchyardError)) return []
  return error.errors.map(({ pointer, detail }) => ({ severity: 'error', pointer: pointer ?? '', detail }))
}

export function under(findings: readonly Finding[], pointer: string): readonly Finding[] {
  return findings.filter((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))
}

export function exactly(findings: readonly Finding[], ...pointers: string[]): readonly Finding[] {
  return findings.filter((one) => pointers.includes(one.pointer))
}

/** `whereOf` names the place, where findings do not stand at it. */
export function Findings(props: { of: readonly Finding[]; whereOf?: (pointer: string) => string }) {
  const { of, whereOf } = props
  if (of.length === 0) return null
  return (
    <ul className="grid gap-1">
      {of.map(({ severity, pointer, detail }) => (
        <li
          key={`${pointer} ${detail}`}
          className={`flex items-start gap-2 text-compact ${severity === 'error' ? 'text-danger' : 'text-caution'}`}
        >
          <span className="mt-1">
            <StatusMark mark={severity === 'error' ? 'barred' : 'triangle'} />
          </span>
          <span>
            <span className="sr-only">{severity === 'error' ? 'Error: ' : 'Warning: '}</span>
            {whereOf !== undefined && <strong>{whereOf(pointer)}</strong>}
            {detail}
          </span>
        </li>
      ))}
    </ul>
  )
}

export function LintSummary({ lint: { findings, errors, isSettled } }: { lint: Lint }) {
  const mayAsk = useIsAllowed()('payment_routes.lint')
  const warnings = findings.length - errors
  const text = isSettled ? summaryOf(errors, warnings) : mayAsk ? 'Checking…' : 'Not checked'
  return (
    <span role="status" className={`text-compact ${errors > 0 ? 'text-danger' : 'text-ink2'}`}>
      {text}
    </span>
  )
}

function summaryOf(errors: number, warnings: number): string {
  if (errors + warnings === 0) return 'Nothing is wrong with it'
  const parts = [errors > 0 ? counted(errors, 'error') : '', warnings > 0 ? counted(warnings, 'warning') : '']
  return parts.filter((part) => part !== '').join(', ')
}
