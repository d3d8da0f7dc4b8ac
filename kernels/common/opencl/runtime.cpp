// SPDX-License-Identifier: GPL-3.0-or-later
// Builds and keeps OpenCL programs. PoCL compiles for 1.3 s, and reads a binary in milliseconds.
#include "kernels/common/opencl/runtime.h"

#include "kernels/common/opencl/error.h"
#include "kernels/common/opencl/factory.h"

namespace lanewright {

extern const std::string_view openClPixelsSource;

namespace {

constexpr const char* buildOptions = "-cl-std=CL1.2 -cl-mad-enable";

// Filter tables of so many geometries stay on the device.
constexpr std::size_t tableCapacity = 64;

std::string sourceText(const OpenClSource& source) {
    // The compiler counts lines from each text's own beginning.
    return "#line 1 \"common/opencl/pixels.cl\"\n" + std::string(openClPixelsSource) + "\n#line 1 \"" +
           std::string(source.name) + "\"\n" + std::string(source.text);
}

std::string platformText(cl_platform_id platform, cl_platform_info what) {
    std::size_t size = 0;
    if (clGetPlatformInfo(platform, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string text(size, '\0');
    if (clGetPlatformInfo(platform, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
    text.resize(size - 1);
    return text;
}

}  // namespace

OpenClRuntime::OpenClRuntime(const DeviceHandles& handles, OpenClShape shape)
    : m_device(static_cast<cl_device_id>(handles.device)),
      m_context(static_cast<cl_context>(handles.context)),
      m_shape(shape),
      m_options(std::string(buildOptions) + " -DCOLUMNS=" + std::to_string(shape.columns) +
                " -DROWS=" + std::to_string(shape.rows)),
      m_cache(handles.cacheFolder) {
    cl_platform_id platform = nullptr;
    clGetDeviceInfo(m_device, CL_DEVICE_PLATFORM, sizeof platform, static_cast<void*>(&platform), nullptr);
    m_identity = deviceText(CL_DEVICE_NAME) + "\n" + deviceText(CL_DEVICE_VERSION) + "\n" +
                 deviceText(CL_DRIVER_VERSION) + "\n" + platformText(platform, CL_PLATFORM_NAME) + "\n" +
                 platformText(platform, CL_PLATFORM_VERSION);
}

Result<std::unique_ptr<DeviceRuntime>> OpenClRuntime::create(const DeviceHandles& handles) {
    cl_device_type type = CL_DEVICE_TYPE_GPU;
    clGetDeviceInfo(static_cast<cl_device_id>(handles.device), CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    return create(handles, (type & CL_DEVICE_TYPE_CPU) != 0 ? cpuShape : gpuShape);
}

Result<std::unique_ptr<DeviceRuntime>> OpenClRuntime::create(const DeviceHandles& handles, OpenClShape shape) {
    if (!handles.device || !handles.context) return openClError(CL_INVALID_CONTEXT, "DeviceHandles");
    return std::unique_ptr<DeviceRuntime>(new OpenClRuntime(handles, shape));
}

std::string OpenClRuntime::deviceText(cl_device_info what) const {
    std::size_t size = 0;
    if (clGetDeviceInfo(m_device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string text(size, '\0');
    if (clGetDeviceInfo(m_device, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
    text.resize(size - 1);
    return text;
}

Result<OpenClRuntime::Kernel> OpenClRuntime::kernel(const OpenClSource& source, const std::string& name) {
    std::unique_lock lock(m_mutex);
    const auto program = this->program(source);
    if (!program) return program.error();
    ClKernel& kernel = (*program)->kernels[name];
    if (!kernel) {
        cl_int code = CL_SUCCESS;
        kernel = ClKernel(clCreateKernel((*program)->program.get(), name.c_str(), &code));
        if (code != CL_SUCCESS) return openClError(code, "clCreateKernel");
    }
    std::mutex& kernelMutex = (*program)->locks[name];
    lock.unlock();
    return Kernel(kernel.get(), kernelMutex);
}

Result<OpenClRuntime::Program*> OpenClRuntime::program(const OpenClSource& source) {
    const auto found = m_programs.find(source.name);
    if (found != m_programs.end()) return &found->second;
    const std::string key = m_identity + "\n" + m_options + "\n" + sourceText(source);
    auto program = loadProgram(key);
    if (!program) {
        program = buildProgram(source);
        if (!program) return program.error();
        keepBinary(key, program->get());
    }
    Program& entry = m_programs[std::string(source.name)];
    entry.program = std::move(*program);
    return &entry;
}

Result<ClProgram> OpenClRuntime::loadProgram(const std::string& key) const {
    const auto binary = m_cache.load(key);
    if (!binary) return openClError(CL_INVALID_BINARY, "BinaryCache::load");
    const unsigned char* bytes = binary->data();
    const std::size_t size = binary->size();
    cl_int code = CL_SUCCESS;
    ClProgram program(clCreateProgramWithBinary(m_context, 1, &m_device, &size, &bytes, nullptr, &code));
    if (code == CL_SUCCESS) code = clBuildProgram(program.get(), 1, &m_device, m_options.c_str(), nullptr, nullptr);
    if (code != CL_SUCCESS) return openClError(code, "clCreateProgramWithBinary");
    return program;
}

Result<ClProgram> OpenClRuntime::buildProgram(const OpenClSource& source) const {
    const std::string text = sourceText(source);
    const char* begin = text.data();
    const std::size_t size = text.size();
    cl_int code = CL_SUCCESS;
    ClProgram program(clCreateProgramWithSource(m_context, 1, &begin, &size, &code));
    if (code != CL_SUCCESS) return openClError(code, "clCreateProgramWithSource");
    code = clBuildProgram(program.get(), 1, &m_device, m_options.c_str(), nullptr, nullptr);
    if (code == CL_SUCCESS) return program;

    std::size_t logSize = 0;
    clGetProgramBuildInfo(program.get(), m_device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &logSize);
    std::string log(logSize, '\0');
    clGetProgramBuildInfo(program.get(), m_device, CL_PROGRAM_BUILD_LOG, logSize, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    if (log.empty()) log = openClErrorName(code);
    return Message{"device.compile",
                   {{"program", std::string(source.name)}, {"device", deviceText(CL_DEVICE_NAME)}, {"log", log}}};
}

void OpenClRuntime::keepBinary(const std::string& key, cl_program program) const {
    cl_uint devices = 0;  // of the context: drivers make one a device
    clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, nullptr);
    if (devices != 1) return;
    std::size_t size = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS || size == 0)
        return;
    std::vector<unsigned char> binary(size);
    unsigned char* bytes = binary.data();
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, static_cast<void*>(&bytes), nullptr) != CL_SUCCESS)
        return;
    m_cache.store(key, binary);
}

Result<OpenClRuntime::Table> OpenClRuntime::table(const std::string& key,
                                                  const std::function<std::vector<std::byte>()>& make) {
    const std::lock_guard lock(m_mutex);
    for (auto entry = m_tables.begin(); entry != m_tables.end(); ++entry) {
        if (entry->first != key) continue;
        m_tables.splice(m_tables.begin(), m_tables, entry);
        return entry->second;
    }
    std::vector<std::byte> bytes = make();
    cl_int code = CL_SUCCESS;
    ClMemory memory(
        clCreateBuffer(m_context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data(), &code));
    if (code != CL_SUCCESS) return openClError(code, "clCreateBuffer");
    m_tables.emplace_front(key, std::make_shared<const ClMemory>(std::move(memory)));
    if (m_tables.size() > tableCapacity) m_tables.pop_back();
    return m_tables.front().second;
}

Result<ClQueue> OpenClRuntime::makeQueue() const {
    cl_int code = CL_SUCCESS;
    ClQueue queue(clCreateCommandQueue(m_context, m_device, 0, &code));
    if (code != CL_SUCCESS) return openClError(code, "clCreateCommandQueue");
    return queue;
}

Result<ClMemory> OpenClRuntime::makeBuffer(std::size_t bytes) const {
    cl_int code = CL_SUCCESS;
    ClMemory memory(clCreateBuffer(m_context, CL_MEM_READ_WRITE, bytes, nullptr, &code));
    if (code != CL_SUCCESS) return openClError(code, "clCreateBuffer");
    return memory;
}

DeviceRuntimeFactory openClRuntimeFactory() {
    return [](const DeviceHandles& handles) { return OpenClRuntime::create(handles); };
}

}  // namespace lanewright
