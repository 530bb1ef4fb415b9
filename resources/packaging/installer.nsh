; Offers Switchboard under "Open with" for tables. The builder's own associations would make it their default.
!define FILE_CLASS "Switchboard.table"

!macro offerFor ENDING
  WriteRegNone SHELL_CONTEXT "Software\Classes\.${ENDING}\OpenWithProgids" "${FILE_CLASS}"
!macroend

!macro withdrawFrom ENDING
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.${ENDING}\OpenWithProgids" "${FILE_CLASS}"
!macroend

!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\${FILE_CLASS}" "" "Table"
  WriteRegStr SHELL_CONTEXT "Software\Classes\${FILE_CLASS}\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  !insertmacro offerFor csv
  !insertmacro offerFor xlsx
  !insertmacro offerFor ods
  !insertmacro offerFor vcf
!macroend

!macro customUnInstall
  !insertmacro withdrawFrom csv
  !insertmacro withdrawFrom xlsx
  !insertmacro withdrawFrom ods
  !insertmacro withdrawFrom vcf
  DeleteRegKey SHELL_CONTEXT "Software\Classes\${FILE_CLASS}"
!macroend
