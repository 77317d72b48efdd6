/* Where the measured files lie, and what kind of disk that is. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { quantile } from './stats.mjs'

const TMPFS = 0x01021994
const base = () => process.env.BENCH_DIR ?? os.tmpdir()

/** A new empty folder on the disk that is measured; removed when the process ends. */
export function freshDir(name) {
  const dir = fs.mkdtempSync(path.join(base(), `steadfold-bench-${name}-`))
  process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** The same in memory, or undefined where there is no such file system: shows what is left without the disk. */
export function memoryDir(name) {
  if (!fs.existsSync('/dev/shm') || fs.statfsSync('/dev/shm').type !== TMPFS) return undefined
  const dir = fs.mkdtempSync(path.join('/dev/shm', `steadfold-bench-${name}-`))
  process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }))
  return dir
}

export const isMemory = () => fs.statfsSync(base()).type === TMPFS

/** Sum of the sizes of all files under `dir`, and of the blocks they take. */
export function diskUse(dir) {
  let bytes = 0
  let allocated = 0
  for (const entry of fs.readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const { size, blocks } = fs.statSync(path.join(entry.parentPath ?? entry.path, entry.name))
    bytes += size
    allocated += blocks * 512
  }
  return { bytes, allocated }
}

/** Microseconds of one small append with its sync, p50 and p99: the disk's own word on this run. */
export function syncCost(appends = 500) {
  const dir = freshDir('sync')
  const file = fs.openSync(path.join(dir, 'probe'), 'a')
  const line = Buffer.alloc(600, 'x')
  const found = []
  for (let i = 0; i < appends; i++) {
    const from = performance.now()
    fs.writeSync(file, line)
    fs.fdatasyncSync(file)
    found.push((performance.now() - from) * 1000)
  }
  fs.closeSync(file)
  return { p50_us: quantile(found, 0.5), p99_us: quantile(found, 0.99) }
}

export function machine() {
  return {
    at: new Date().toISOString(),
    node: process.version,
    cpus: os.cpus().length,
    cpu: os.cpus()[0]?.model ?? '',
    kernel: os.release(),
    memory_gb: Math.round(os.totalmem() / 2 ** 30),
    dir: base(),
    in_memory: isMemory(),
    load: os.loadavg()[0],
    sync: syncCost(),
  }
}
