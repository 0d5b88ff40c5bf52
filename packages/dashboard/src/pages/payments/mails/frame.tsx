/**
 * The HTML of an e-mail, in a sandboxed document of its own. The document has an opaque origin, allows no scripts and
 * no requests, and receives the HTML as a message.
 */
import { useCallback, useEffect, useRef, useState } from 'react'
import { useObject } from '../../../api/queries.ts'
import { Loaded } from '../../../ui/states.tsx'

const minHeight = 320
const maxHeight = 2_000

export function MailFrame({ html, title }: { html: string; title: string }) {
  const workspace = useObject(['workspace', 'settings'], (api) => api.workspace.get())
  return (
    <Loaded query={workspace}>
      {({ branding }) => (
        // Mail clients show the logo from the attachment, which the preview does not have.
        <Frame html={html.replaceAll('cid:logo', branding.logo_url ?? 'data:,')} title={title} />
      )}
    </Loaded>
  )
}

function Frame({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(minHeight)
  const show = useCallback(() => {
    // The origin of the frame is opaque, so it cannot be named as the target. The message contains no secret.
    frame.current?.contentWindow?.postMessage({ html }, '*')
  }, [html])
  useEffect(show, [show])
  useEffect(() => {
    const resize = ({ source, data }: MessageEvent) => {
      if (source === null || source !== frame.current?.contentWindow) return
      const wanted = Number((data as { height?: unknown }).height)
      if (Number.isFinite(wanted)) setHeight(Math.min(Math.max(wanted, minHeight), maxHeight))
    }
    addEventListener('message', resize)
    return () => removeEventListener('message', resize)
  }, [])
  return (
    <iframe
      ref={frame}
      title={title}
      src="/mail-frame"
      sandbox="allow-scripts"
      height={height}
      onLoad={show}
      className="w-full rounded-control border border-line"
    />
  )
}
