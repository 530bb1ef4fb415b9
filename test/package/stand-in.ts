import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NtExecutable, NtExecutableResource, Resource } from 'resedit'

/** The fuse wire as a fresh Electron 45 carries it: the sentinel, version 1, nine fuses (build/fuses/fuses.json5). */
const wire = Buffer.concat([
  Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.from([1, 9]),
  Buffer.from('101100011'),
])
const padding = Buffer.alloc(512, 0x90)
const binary = Buffer.concat([padding, wire, padding])

/** A program without code. The builder can add an icon, a version and the asar's hash. */
function windowsProgram(): Buffer {
  const program = NtExecutable.createEmpty(false, false)
  const resources = NtExecutableResource.from(program)
  const version = Resource.VersionInfo.createEmpty()
  version.setStringValues({ lang: 1033, codepage: 1200 }, { ProductName: 'Electron' })
  version.outputToResourceEntries(resources.entries)
  resources.outputResource(program)
  program.setExtraData(binary)
  return Buffer.from(program.generate())
}

const plist = (name: string) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>CFBundleExecutable</key><string>${name}</string></dict></plist>
`

const helpers = ['', ' (GPU)', ' (Plugin)', ' (Renderer)'].map((kind) => `Electron Helper${kind}`)

/** Every file the builder touches in an unpacked Electron, by path. None of them runs. */
const files: Record<string, Record<string, string | Buffer>> = {
  linux: { electron: binary, LICENSE: 'Electron', 'LICENSES.chromium.html': 'Chromium' },
  win32: { 'electron.exe': windowsProgram(), LICENSE: 'Electron', 'LICENSES.chromium.html': 'Chromium' },
  darwin: {
    'Electron.app/Contents/Info.plist': plist('Electron'),
    'Electron.app/Contents/MacOS/Electron': '',
    'Electron.app/Contents/Frameworks/Electron Framework.framework/Electron Framework': binary,
    ...Object.fromEntries(
      helpers.flatMap((name) => [
        [`Electron.app/Contents/Frameworks/${name}.app/Contents/Info.plist`, plist(name)],
        [`Electron.app/Contents/Frameworks/${name}.app/Contents/MacOS/${name}`, ''],
      ]),
    ),
    LICENSE: 'Electron',
    'LICENSES.chromium.html': 'Chromium',
  },
}

/** Writes a stand-in for an unpacked Electron of `platform` into `folder`. */
export function writeStandIn(folder: string, platform: string): void {
  for (const [path, content] of Object.entries(files[platform]!)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content, { mode: 0o755 })
  }
}
