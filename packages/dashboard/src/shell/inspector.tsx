/**
 * The inspector: shows the API calls of the current page. Each call can be copied as curl.
 * Opened with the key ` or the button at the bottom of the page.
 */
import type { RequestReport } from '@switchyard/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { useCalls } from '../api/calls.ts'
import { durationText } from '../format/time.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { CopyButton } from '../ui/values.tsx'
import { areShortcutsEnabled, isTyping } from './keys.ts'

export function Inspector({ isOpen, setOpen }: { isOpen: boolean; setOpen: (open: boolean) => void }) {
  const queries = useQueryClient()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === '`' && !isTyping(event) && areShortcutsEnabled()) setOpen(!isOpen)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [isOpen, setOpen])
  if (!isOpen) return null
  return (
    <aside
      aria-label="API calls of this page"
      className="sticky bottom-0 z-10 max-h-[45dvh] overflow-auto border-t-2 border-ink bg-surface"
    >
      <div className="sticky top-0 flex items-center justify-between gap-2 border-b border-line bg-surface px-4 py-1.5">
        <h2 className="font-bold">API calls of this page</h2>
        <div className="flex gap-2">
          <Button compact onClick={() => void queries.invalidateQueries()}>
            Refresh
          </Button>
          <IconButton label="Close inspector" variant="quiet" compact onClick={() => setOpen(false)}>
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      </div>
      <Calls />
    </aside>
  )
}

function Calls() {
  const calls = useCalls()
  if (calls.length === 0) return <p className="p-4 text-ink2">This page has made no API calls yet.</p>
  return (
    <ul>
      {calls.map((call) => (
        <li
          key={`${call.requestId} ${call.attempt} ${call.durationMs}`}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5 font-mono text-compact"
        >
          <span className={(call.status ?? 500) < 400 ? 'text-success' : 'text-danger'}>
            {call.status ?? 'no response'}
          </span>
          <span className="min-w-0 break-all">
            {call.method} {pathOf(call.url)}
          </span>
          <span className="text-ink2">{durationText(call.durationMs)}</span>
          <CopyButton text={curlOf(call)} label="Copy as curl" />
        </li>
      ))}
    </ul>
  )
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

function curlOf({ method, url }: RequestReport): string {
  return `curl -X ${method} '${url}' -H "Authorization: Bearer $SWITCHYARD_TOKEN"`
}
