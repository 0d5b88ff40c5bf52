/**
 * The inspector: below any page, the calls of the API that it was made of. Each can be opened and taken along as
 * code. Opened by the key ` or by the button at the foot of the page.
 */
import type { RequestReport } from '@switchyard/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { useCalls } from '../api/calls.ts'
import { durationText } from '../format/time.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { CopyButton } from '../ui/values.tsx'
import { areKeysOn, isTyping } from './keys.ts'

export function Inspector({ isOpen, setOpen }: { isOpen: boolean; setOpen: (open: boolean) => void }) {
  const queries = useQueryClient()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === '`' && !isTyping(event) && areKeysOn()) setOpen(!isOpen)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [isOpen, setOpen])
  if (!isOpen) return null
  return (
    <aside
      aria-label="Calls of this page"
      className="sticky bottom-0 z-10 max-h-[45dvh] overflow-auto border-t-2 border-ink bg-surface"
    >
      <div className="sticky top-0 flex items-center justify-between gap-2 border-b border-line bg-surface px-4 py-1.5">
        <h2 className="font-bold">Calls of this page</h2>
        <div className="flex gap-2">
          <Button compact onClick={() => void queries.invalidateQueries()}>
            Read again
          </Button>
          <IconButton label="Close the inspector" look="quiet" compact onClick={() => setOpen(false)}>
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      </div>
      <Calls />
    </aside>
  )
}

function Calls() {
  const noted = useCalls()
  if (noted.length === 0) return <p className="p-4 text-ink2">This page has called nothing yet.</p>
  return (
    <ul>
      {noted.map((call) => (
        <li
          key={`${call.requestId} ${call.attempt} ${call.durationMs}`}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5 font-mono text-compact"
        >
          <span className={(call.status ?? 500) < 400 ? 'text-clear' : 'text-danger'}>
            {call.status ?? 'no answer'}
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
