{{- define "burgee.labels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}

{{- define "burgee.metadata" -}}
name: {{ .root.Release.Name }}{{ .suffix }}
labels:
  {{- include "burgee.labels" . | nindent 2 }}
  app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .root.Release.Service }}
  helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "burgee.pod" -}}
# Or a Service called "burgee" would set BURGEE_PORT in the pod.
enableServiceLinks: false
automountServiceAccountToken: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: {{ .user }}
  {{- if eq (int .user) 1000 }}
  fsGroup: {{ .user }}
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "burgee.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "burgee.labels" . | nindent 8 }}
{{- end }}

{{- define "burgee.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "burgee.image" -}}
image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "burgee.clusterUrl" -}}
- name: BURGEE_CLUSTER_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.cluster.urlSecret.name }}
      key: {{ .Values.cluster.urlSecret.key }}
{{- end }}

{{/* The container that applies the file of flags, and its volume. Both are empty without a file. */}}
{{- define "burgee.apply" -}}
{{- if or .Values.provision.configMap .Values.provision.secret -}}
initContainers:
  - name: apply
    {{- include "burgee.image" . | nindent 4 }}
    args: ["apply", {{ .Values.provision.key | quote }}]
    workingDir: /provision
    {{- include "burgee.container" . | nindent 4 }}
    volumeMounts:
      - name: data
        mountPath: /data
      - name: tmp
        mountPath: /tmp
      - name: provision
        mountPath: /provision
        readOnly: true
{{- end }}
{{- end }}

{{- define "burgee.provision" -}}
{{- with .Values.provision }}
{{- if and .configMap .secret }}{{ fail "provision: name a ConfigMap or a Secret, not both" }}{{ end }}
{{- if or .configMap .secret -}}
- name: provision
  projected:
    sources:
      {{- with .configMap }}
      - configMap:
          name: {{ . }}
      {{- end }}
      {{- with .secret }}
      - secret:
          name: {{ . }}
      {{- end }}
      {{- with .secretFiles }}
      - secret:
          name: {{ . }}
      {{- end }}
{{- end }}
{{- end }}
{{- end }}
