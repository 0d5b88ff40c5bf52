/** Formats a logged request as one line. */
import type { LoggedRequest } from '@switchyard/sdk'
import { styled } from '../output.ts'
import { formatTimeOfDay } from '../time.ts'

export function formatRequest(request: LoggedRequest): string {
  const { created_at, status, duration_ms, method, path, error_code, replayed, id } = request
  const colour = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  const remarks = [...(error_code === null ? [] : [error_code]), ...(replayed ? ['replayed'] : [])]
  const end = remarks.length === 0 ? '' : `  (${remarks.join(', ')})`
  return `${formatTimeOfDay(created_at)}  ${styled(colour, String(status))}  ${String(Math.round(duration_ms)).padStart(5)} ms  ${method.padEnd(6)} ${path}  ${id}${end}`
}
