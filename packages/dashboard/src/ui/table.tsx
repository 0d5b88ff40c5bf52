/**
 * Lists. Only the visible rows are rendered; the next page is fetched before the user reaches the end. New objects are
 * shown after a click on a button, so that rows do not move under the pointer.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { RowsResult } from '../api/queries.ts'
import { countText } from '../format/text.ts'
import { useOpenPage } from './link.tsx'
import { type Column, columnClass, TableHead } from './plain-table.tsx'
import { useRowKeys } from './row-keys.ts'
import { ErrorPanel, Skeleton } from './states.tsx'

export { type Column, PlainTable } from './plain-table.tsx'

/** The height of a row. On a phone, rows are higher for touch. */
const rowHeight = () => (matchMedia('(width < 900px)').matches ? 48 : 40)
/** The next page is fetched this many rows before the end. */
const prefetchRows = 15

export function DataTable<Row extends { readonly id: string }>(props: {
  label: string
  columns: readonly Column<Row>[]
  rows: RowsResult<Row>
  /** The path of a row's page, below the workspace. */
  to?: (row: Row) => string
  empty: ReactNode
  /** How many objects were created since the list was read. */
  newObjects?: { readonly count: number; readonly reset: () => void }
}) {
  const { rows, newObjects } = props
  if (rows.error !== null && rows.rows.length === 0)
    return <ErrorPanel error={rows.error} retry={rows.refresh} />
  if (rows.isPending) return <Skeleton rows={8} />
  const show = () => {
    newObjects?.reset()
    rows.refresh()
  }
  return (
    <div>
      {newObjects !== undefined && newObjects.count > 0 && (
        <div className="sticky top-2 z-10 flex justify-center py-1">
          <button
            type="button"
            onClick={show}
            className="min-h-6 rounded-full bg-info px-3 text-compact font-bold text-surface"
          >
            {newObjects.count} new
          </button>
        </div>
      )}
      {rows.rows.length === 0 ? <div>{props.empty}</div> : <Body {...props} />}
    </div>
  )
}

function Body<Row extends { readonly id: string }>(props: {
  label: string
  columns: readonly Column<Row>[]
  rows: RowsResult<Row>
  to?: (row: Row) => string
}) {
  const { columns, to } = props
  const { rows, error, hasMore, isLoadingMore, loadMore } = props.rows
  const openPage = useOpenPage()
  const table = useRef<HTMLTableElement>(null)
  const [margin, setMargin] = useState(0)
  useLayoutEffect(() => setMargin(table.current?.offsetTop ?? 0), [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: rowHeight,
    overscan: 12,
    scrollMargin: margin,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    // After an error, wait until the user retries: do not retry on every render.
    if (error === null && hasMore && !isLoadingMore && last >= rows.length - prefetchRows) loadMore()
  }, [error, hasMore, isLoadingMore, last, rows.length, loadMore])
  const open = (index: number) => {
    const row = rows[index]
    if (row !== undefined && to !== undefined) openPage(to(row))
  }
  const current = useRowKeys(rows.length, open, (index) => virtual.scrollToIndex(index))
  const before = (items[0]?.start ?? margin) - margin
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin)
  return (
    <>
      <table
        ref={table}
        aria-label={props.label}
        aria-rowcount={hasMore ? -1 : rows.length}
        className="w-full md:table-fixed"
      >
        <TableHead columns={columns} />
        <tbody>
          {before > 0 && <tr style={{ height: before }} />}
          {items.map(({ index }) => {
            const row = rows[index] as Row
            return (
              <tr
                key={row.id}
                aria-rowindex={index + 1}
                onClick={({ target }) => {
                  if (!(target as Element).closest('a, button, input, label')) open(index)
                }}
                className={`h-10 border-b border-line max-md:h-12 ${to === undefined ? '' : 'cursor-pointer hover:bg-canvas'} ${current === index ? 'bg-info-soft' : ''}`}
              >
                {columns.map((column) => (
                  <td
                    key={column.title}
                    className={`overflow-hidden px-4 text-ellipsis whitespace-nowrap max-md:px-2 ${columnClass(column)} ${phoneWidth(column)}`}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            )
          })}
          {after > 0 && <tr style={{ height: after }} />}
        </tbody>
      </table>
      {error !== null && <ErrorPanel error={error} retry={loadMore} />}
      <p role="status" className="px-4 py-2 text-compact text-ink2">
        {isLoadingMore
          ? 'Loading more…'
          : `${countText(rows.length, 'row')} shown${hasMore ? ', more below' : ''}`}
      </p>
    </>
  )
}

/** On a phone, columns fit their content, and truncatable columns share the rest. */
function phoneWidth<Row>({ width }: Column<Row>): string {
  return width === undefined ? 'max-md:w-1/2 max-md:max-w-0' : ''
}
